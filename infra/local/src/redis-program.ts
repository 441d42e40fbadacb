import { canInstallWithApt, installWithApt } from './apt-get';
import { findExecutable } from './executable';
import { ReadableFailure, say } from './message';

/** The Redis (or Valkey) server on the PATH; on Debian and Ubuntu root installs one where there is none. */
export async function findOrInstallRedis(stop: AbortSignal): Promise<string> {
  const found = findRedis();
  if (found !== undefined) return found;
  if (canInstallWithApt()) {
    say('Redis is not installed: installing it with apt-get install redis-server');
    const code = await installWithApt('redis-server', stop);
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
