import type { Redis } from 'ioredis';
import type { RedisClientOptions } from './redis-client-options';

/** How servers and proxies refuse a command that they do not have, or that the user may not call. */
const refusal = /^NOPERM\b|\b(?:unknown|unsupported|not supported|not allowed|disabled|denied)\b/i;

/**
 * Lets a client become ready although the server refuses INFO, as some proxies do. The library uses INFO to find out whether the server has
 * loaded its data, and would otherwise never become ready. A server that is still loading answers commands with LOADING, and the client
 * reconnects. The first refusal is logged, with what could not be checked.
 */
export function readyWithoutInfo(client: Redis, { name, logger }: Pick<RedisClientOptions, 'name' | 'logger'>): void {
  let isLogged = false;
  const logOnce = (error: Error) => {
    if (isLogged) return;
    isLogged = true;
    logger.warn(
      'could not check whether Redis has loaded its data, and whether it is a node of a cluster: it refuses INFO',
      { client: name, error },
    );
  };
  const info = client.info.bind(client) as (...parts: unknown[]) => Promise<string>;
  // The library passes a callback.
  const readInfo = (...parts: unknown[]): Promise<string> => {
    const last = parts.at(-1);
    const sections = typeof last === 'function' ? parts.slice(0, -1) : parts;
    const reply = info(...sections).catch((error: Error) => {
      if (!refusal.test(error.message)) throw error;
      logOnce(error);
      return '';
    });
    if (typeof last === 'function') {
      reply.then(
        (text) => last(null, text),
        (error: unknown) => last(error),
      );
    }
    return reply;
  };
  client.info = readInfo as typeof client.info;
}
