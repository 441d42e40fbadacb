import type { Redis } from 'ioredis';

/** How servers and proxies refuse a command that they do not have, or that the user may not call. */
const refusal = /^NOPERM\b|\b(?:unknown|unsupported|not supported|not allowed|disabled|denied)\b/i;

/**
 * Lets a client become ready although the server refuses INFO, as some proxies do. The library asks it whether the server has
 * loaded its data, and would otherwise never be ready. A server that is still loading then answers LOADING, and the client
 * reconnects. `onRefused` is called each time.
 */
export function readyWithoutInfo(client: Redis, onRefused: (error: Error) => void): void {
  const info = client.info.bind(client) as (...parts: unknown[]) => Promise<string>;
  // The library passes a callback.
  const readInfo = (...parts: unknown[]): Promise<string> => {
    const last = parts.at(-1);
    const sections = typeof last === 'function' ? parts.slice(0, -1) : parts;
    const reply = info(...sections).catch((error: Error) => {
      if (!refusal.test(error.message)) throw error;
      onRefused(error);
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
