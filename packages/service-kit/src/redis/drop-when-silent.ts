import type { Redis } from 'ioredis';

/** How many pings in a row may go unanswered before the connection is closed. */
const missedPings = 2;

/**
 * Pings regularly and closes the connection when nothing is received. It counts pings, where the library's `socketTimeout` counts
 * milliseconds. So if the process itself was delayed, it first receives the pending replies and keeps the connection.
 */
export function dropWhenSilent(client: Redis, pingInterval: number): void {
  let timer: NodeJS.Timeout | undefined;
  client.on('ready', () => {
    clearInterval(timer);
    let bytesRead = -1;
    let missed = 0;
    timer = setInterval(() => {
      missed = client.stream.bytesRead === bytesRead ? missed + 1 : 0;
      bytesRead = client.stream.bytesRead;
      if (missed >= missedPings) client.stream.destroy(new Error('no data received on the connection'));
      // Missing replies are handled above.
      else client.ping().catch(() => undefined);
    }, pingInterval);
  });
  client.on('close', () => clearInterval(timer));
}
