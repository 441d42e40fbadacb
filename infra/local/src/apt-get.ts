import { readFileSync } from 'node:fs';
import { type CommandResult, runToEnd } from './child-process';
import { findExecutable } from './executable';

/** True on Debian and Ubuntu for root. */
export function canInstallWithApt(): boolean {
  return process.getuid?.() === 0 && isDebian() && findExecutable('apt-get') !== undefined;
}

/** Installs a package of the system; resolves to the exit code. */
export async function installWithApt(packageName: string, stop: AbortSignal): Promise<number> {
  // Sources that cannot be reached need not matter: the package may be known, and its own installation tells.
  await aptGet(['update'], stop);
  return (await aptGet(['install', '-y', '--no-install-recommends', packageName], stop)).code;
}

function isDebian(): boolean {
  try {
    return /^ID(_LIKE)?=.*\b(debian|ubuntu)\b/m.test(readFileSync('/etc/os-release', 'utf8'));
  } catch {
    // Not there on other systems.
    return false;
  }
}

async function aptGet(args: string[], stop: AbortSignal): Promise<CommandResult> {
  const patience = [
    'DPkg::Lock::Timeout=60',
    'Acquire::Retries=2',
    'Acquire::http::Timeout=20',
    'Acquire::https::Timeout=20',
  ];
  return runToEnd(
    {
      name: 'apt-get',
      command: ['apt-get', '-q', ...patience.flatMap((option) => ['-o', option]), ...args],
      // RUNLEVEL keeps Debian's own services, such as Redis, from being started where no systemd runs.
      environment: { ...process.env, DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' },
      output: 'inherit',
    },
    stop,
  );
}
