import { readFileSync } from 'node:fs';
import { type CommandResult, runToEnd } from './child-process';
import { findExecutable } from './executable';
import { ReadableFailure, say } from './message';

/** The Redis (or Valkey) server on the PATH; on Debian and Ubuntu root installs one where there is none. */
export async function findOrInstallRedis(stop: AbortSignal): Promise<string> {
  const found = findRedis();
  if (found !== undefined) return found;
  if (process.getuid?.() === 0 && isDebian() && findExecutable('apt-get') !== undefined) {
    say('Redis is not installed: installing it with apt-get install redis-server');
    // Sources that cannot be reached need not matter: the package may be known, and its own installation tells.
    await aptGet(['update'], stop);
    const { code } = await aptGet(['install', '-y', '--no-install-recommends', 'redis-server'], stop);
    const installed = findRedis();
    if (installed !== undefined) return installed;
    throw new ReadableFailure(`apt-get could not install redis-server (it ended with ${code}).\n${waysOut}`);
  }
  throw new ReadableFailure(`Redis is needed, and neither redis-server nor valkey-server is on the PATH.\n${waysOut}`);
}

const waysOut = [
  'Any one of these will do:',
  '  Debian, Ubuntu   sudo apt-get install redis-server',
  '  macOS            brew install redis',
  '  containers       docker compose up runs everything, Redis included',
  '  your own         REDIS_URL=redis://user:password@host:6379 npm start',
].join('\n');

/** The Redis (or Valkey) server on the PATH; undefined where there is none. */
export function findRedis(): string | undefined {
  return findExecutable('redis-server') ?? findExecutable('valkey-server');
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
      // RUNLEVEL keeps Debian's own Redis service from being started where no systemd runs.
      environment: { ...process.env, DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' },
      output: 'inherit',
    },
    stop,
  );
}
