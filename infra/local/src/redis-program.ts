import { canInstallWithApt, installWithApt } from './apt-get';
import { findExecutable } from './executable';
import { printLine, ReadableFailure } from './terminal-output';

/** Returns the path of Redis or Valkey on the PATH; if missing, root on Debian and Ubuntu installs one. */
export async function findOrInstallRedis(stop: AbortSignal): Promise<string> {
  const found = findRedis();
  if (found !== undefined) return found;
  if (canInstallWithApt()) {
    printLine('Redis is not installed: installing it with apt-get install redis-server');
    const code = await installWithApt('redis-server', stop);
    const installed = findRedis();
    if (installed !== undefined) return installed;
    throw new ReadableFailure(`apt-get could not install redis-server (it ended with ${code}).\n${alternatives}`);
  }
  throw new ReadableFailure(
    `Redis is required, but neither redis-server nor valkey-server is on the PATH.\n${alternatives}`,
  );
}

const alternatives = [
  'Use one of these:',
  '  Debian, Ubuntu   sudo apt-get install redis-server',
  '  macOS            brew install redis',
  '  containers       docker compose up runs everything, including Redis',
  '  your own         REDIS_URL=redis://user:password@host:6379 npm start',
].join('\n');

/** Returns the path of Redis or Valkey, if it is on the PATH. */
export function findRedis(): string | undefined {
  return findExecutable('redis-server') ?? findExecutable('valkey-server');
}
