// Prepares a clone to run TypeScript: checks Node, then installs the packages with the pinned pnpm if anything changed.
// Plain JavaScript without dependencies, because nothing is installed before it has run.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, linkSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const root = resolve(fileURLToPath(import.meta.url), '../../..');
const modules = join(root, 'node_modules');
const stampFile = join(modules, '.installed');
const lockFile = join(modules, '.installing');
const minimumNode = { major: 20, minor: 19 };

/**
 * Installs what `npm start` needs, the `dependencies`, or by default also the `devDependencies`. Ends the process with a message if Node
 * is too old or the installation fails.
 */
export async function install(needed = 'all') {
  checkNodeVersion();
  if (isInstalled(needed)) return;
  mkdirSync(modules, { recursive: true });
  await lockInstallation();
  try {
    if (isInstalled(needed)) return;
    // What npm test has installed stays up to date.
    const scope = readStamp().startsWith('all') ? 'all' : needed;
    const pnpm = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).packageManager.split('+')[0];
    console.log(`Installing the packages with ${pnpm}`);
    rmSync(stampFile, { force: true });
    const code = await run('npx', ['-y', pnpm, 'install', '--frozen-lockfile', `--prod=${scope === 'start'}`]);
    if (code !== 0) {
      const failure =
        code === undefined ? 'npx, which comes with npm, could not be started.' : `pnpm ended with ${code}.`;
      console.error(`\nThe packages could not be installed: ${failure}`);
      console.error(
        'See the reason above. Most often the package registry cannot be reached (npm config get registry),',
      );
      console.error('or pnpm-lock.yaml does not match a changed package.json. Fix it and run the same command again.');
      rmSync(lockFile, { force: true });
      process.exit(1);
    }
    writeFileSync(stampFile, stampOf(scope));
  } finally {
    rmSync(lockFile, { force: true });
  }
}

function checkNodeVersion() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major > minimumNode.major || (major === minimumNode.major && minor >= minimumNode.minor)) return;
  console.error(`Node ${minimumNode.major}.${minimumNode.minor} or newer is needed; this is ${process.version}.`);
  process.exit(1);
}

function workspaceFolders() {
  const workspace = readFileSync(join(root, 'pnpm-workspace.yaml'), 'utf8');
  const parents = [...workspace.matchAll(/^\s+- ["']?([\w-]+)\/\*["']?\s*$/gm)].map((match) => join(root, match[1]));
  const folders = parents
    .filter((parent) => existsSync(parent))
    .flatMap((parent) => readdirSync(parent).map((name) => join(parent, name)));
  return [root, ...folders.filter((folder) => existsSync(join(folder, 'package.json')))].sort();
}

/** A hash that changes whenever an installation could have a different result. */
function fingerprint() {
  const hash = createHash('sha256').update(`${process.platform} ${process.arch}`);
  const files = ['pnpm-lock.yaml', 'pnpm-workspace.yaml', '.npmrc'].map((name) => join(root, name));
  for (const file of [...files, ...workspaceFolders().map((folder) => join(folder, 'package.json'))]) {
    hash.update(`\n${file}\n`).update(existsSync(file) ? readFileSync(file) : 'absent');
  }
  return hash.digest('hex');
}

function readStamp() {
  return existsSync(stampFile) ? readFileSync(stampFile, 'utf8') : '';
}

/** What the stamp file holds after an installation. */
function stampOf(scope) {
  return `${scope} ${fingerprint()}`;
}

function isInstalled(needed) {
  const scope = readStamp() === stampOf('all') ? 'all' : needed;
  if (readStamp() !== stampOf(scope)) return false;
  return workspaceFolders().every((folder) => {
    const { dependencies, devDependencies } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    return !(dependencies ?? (scope === 'all' && devDependencies)) || existsSync(join(folder, 'node_modules'));
  });
}

/** Ensures that two commands in one clone install one after the other. */
async function lockInstallation() {
  const own = `${lockFile}.${process.pid}`;
  writeFileSync(own, String(process.pid));
  for (let announced = false; ; await sleep(250)) {
    try {
      linkSync(own, lockFile);
      return rmSync(own);
    } catch (error) {
      if (error.code !== 'EEXIST') throw error;
    }
    const holder = existsSync(lockFile) ? Number(readFileSync(lockFile, 'utf8')) : 0;
    if (!isRunning(holder)) rmSync(lockFile, { force: true });
    else if (!announced) console.log(`Waiting for the installation by process ${holder}`);
    announced = true;
  }
}

function isRunning(pid) {
  try {
    return pid > 0 && process.kill(pid, 0);
  } catch (error) {
    return error.code === 'EPERM';
  }
}

/** Runs a command in the root folder; resolves to its exit code, or to undefined if it could not be started. */
function run(command, args) {
  return new Promise((done) => {
    // CI keeps pnpm from asking questions; NODE_ENV=production would omit the development dependencies.
    const env = { ...process.env, CI: 'true', NODE_ENV: '' };
    // A separate process group, so that a stop reaches npx, its shell and pnpm.
    const child = spawn(command, args, { cwd: root, env, stdio: ['ignore', 'inherit', 'inherit'], detached: true });
    const stop = () => {
      if (child.pid) process.kill(-child.pid, 'SIGTERM');
      rmSync(lockFile, { force: true });
      process.exit(1);
    };
    const parent = process.ppid;
    const watch = setInterval(() => process.ppid !== parent && stop(), 200);
    const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];
    for (const signal of signals) process.on(signal, stop);
    const end = (code) => {
      clearInterval(watch);
      for (const signal of signals) process.off(signal, stop);
      done(code);
    };
    child.once('error', () => end(undefined));
    child.once('exit', (code) => end(code ?? 1));
  });
}
