import { readFileSync } from 'node:fs';
import { type CommandResult, runToEnd } from './child-process';
import { findExecutable } from './executable';

/** Whether this is Debian or Ubuntu and the user is root. */
export function canInstallWithApt(): boolean {
  return process.getuid?.() === 0 && isDebian() && findExecutable('apt-get') !== undefined;
}

/** Installs a system package; resolves to the exit code. */
export async function installWithApt(packageName: string, stop: AbortSignal): Promise<number> {
  // A failed update may not matter: the package may already be known, and if not, its installation fails.
  await aptGet(['update'], stop);
  return (await aptGet(['install', '-y', '--no-install-recommends', packageName], stop)).code;
}

function isDebian(): boolean {
  try {
    return /^ID(_LIKE)?=.*\b(debian|ubuntu)\b/m.test(readFileSync('/etc/os-release', 'utf8'));
  } catch {
    // Other systems do not have the file.
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
      // RUNLEVEL prevents Debian from starting its own services, such as Redis, if there is no systemd.
      environment: { ...process.env, DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' },
      output: 'inherit',
    },
    stop,
  );
}
