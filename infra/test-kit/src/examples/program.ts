import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { findOrInstall } from '@multi-drm/local/apt-get';
import { findExecutable } from '@multi-drm/local/executable';
import { findFreePort, localHost } from '@multi-drm/local/ports';
import { repositoryFolder } from '@multi-drm/local/repository';
import { ReadableFailure } from '@multi-drm/local/terminal-output';

/** A program that the documents show, such as a receiver in Python. `command`: how it is started. */
export interface Program {
  name: string;
  command: (port: number) => [string, ...string[]];
}

/** Returns the path of Python; installs it if it is missing and this is possible. */
export function findPython(stop: AbortSignal): Promise<string> {
  return findProgram('python3', 'Python', 'python3', stop);
}

/** Returns the path of PHP; installs it if it is missing and this is possible. */
export function findPhp(stop: AbortSignal): Promise<string> {
  return findProgram('php', 'PHP', 'php-cli', stop);
}

/** Returns the name of an extension if this PHP has it. */
export function hasPhpExtension(php: string, name: string): string | undefined {
  return spawnSync(php, ['-m'], { encoding: 'utf8' }).stdout.split('\n').includes(name) ? name : undefined;
}

async function findProgram(name: string, title: string, packageName: string, stop: AbortSignal): Promise<string> {
  const found = await findOrInstall(() => findExecutable(name), title, packageName, stop);
  if (found !== undefined) return found;
  throw new ReadableFailure(`${title} is missing. On Debian: sudo apt-get install ${packageName}`);
}

/** Starts a program on a free port and stops it afterwards. `environment` has no more than what it needs. */
export async function whileRunning(
  program: Program,
  environment: Record<string, string>,
  use: (url: string) => Promise<void>,
): Promise<void> {
  const port = await findFreePort();
  const [file, ...args] = program.command(port);
  const child = spawn(file, args, {
    cwd: repositoryFolder,
    env: { PATH: process.env.PATH, PYTHONDONTWRITEBYTECODE: '1', ...environment, PORT: String(port) },
    stdio: 'ignore',
  });
  try {
    const url = `http://${localHost}:${port}/`;
    await untilListening(program.name, child, url);
    await use(url);
  } finally {
    const exit = child.exitCode === null && child.signalCode === null ? once(child, 'exit') : undefined;
    child.kill('SIGKILL');
    await exit;
  }
}

async function untilListening(name: string, child: ChildProcess, url: string): Promise<void> {
  const deadline = Date.now() + 60_000;
  for (;;) {
    if (child.exitCode !== null || Date.now() > deadline) throw new Error(`${name} does not listen`);
    const answers = await fetch(url, { method: 'POST' }).then(
      () => true,
      () => false, // not yet
    );
    if (answers) return;
    await delay(50);
  }
}
