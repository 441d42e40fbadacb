import { findOrInstall } from './apt-get';
import { findExecutable } from './executable';
import { ReadableFailure } from './terminal-output';

/** Returns the path of Redis or Valkey on the PATH; if missing, root on Debian and Ubuntu installs one. */
export async function findOrInstallRedis(stop: AbortSignal): Promise<string> {
  const found = await findOrInstall(findRedis, 'Redis', 'redis-server', stop);
  if (found !== undefined) return found;
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
