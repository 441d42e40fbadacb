import { readFileSync } from 'node:fs';
import { runToEnd } from './child-process';
import { findExecutable } from './executable';
import { printLine } from './terminal-output';

/**
 * Returns what `find` finds. If that is nothing and root on Debian or Ubuntu may install the system package, installs it and finds again.
 * `title`: what is installed, in the line that says so.
 */
export async function findOrInstall(
  find: () => string | undefined,
  title: string,
  packageName: string,
  stop: AbortSignal,
): Promise<string | undefined> {
  const found = find();
  if (found !== undefined || !canInstallWithApt()) return found;
  printLine(`${title} is not installed: installing it with apt-get install ${packageName}`);
  // A failed update may not matter: the package may already be known, and if not, its installation fails.
  await aptGet(['update'], stop);
  const code = await aptGet(['install', '-y', '--no-install-recommends', packageName], stop);
  const installed = find();
  if (installed === undefined) printLine(`apt-get could not install ${packageName} (it ended with ${code}).`);
  return installed;
}

/** Whether this is Debian or Ubuntu and the user is root. */
function canInstallWithApt(): boolean {
  return process.getuid?.() === 0 && isDebian() && findExecutable('apt-get') !== undefined;
}

function isDebian(): boolean {
  try {
    return /^ID(_LIKE)?=.*\b(debian|ubuntu)\b/m.test(readFileSync('/etc/os-release', 'utf8'));
  } catch {
    // Other systems do not have the file.
    return false;
  }
}

async function aptGet(args: string[], stop: AbortSignal): Promise<number> {
  const patience = [
    'DPkg::Lock::Timeout=60',
    'Acquire::Retries=2',
    'Acquire::http::Timeout=20',
    'Acquire::https::Timeout=20',
  ];
  const { code } = await runToEnd(
    {
      name: 'apt-get',
      command: ['apt-get', '-q', ...patience.flatMap((option) => ['-o', option]), ...args],
      // RUNLEVEL prevents Debian from starting its own services, such as Redis, if there is no systemd.
      environment: { ...process.env, DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' },
      output: 'inherit',
    },
    stop,
  );
  return code;
}
