import type { Command, Redis } from 'ioredis';

/**
 * Sends all commands of one turn of the event loop with one write. Does the same for the network as the library's automatic
 * pipelining, without its second promise and pipeline for each command, which cost a third of the client's processor time.
 */
export function sendTogether(client: Redis): void {
  const send = client.sendCommand.bind(client);
  /** The connection whose writes wait for the end of the turn. */
  let waiting: Redis['stream'] | undefined;
  client.sendCommand = (command: Command, ...more) => {
    const { stream } = client;
    // Before the first connection there is none.
    if (stream !== undefined && stream !== waiting) {
      waiting = stream;
      stream.cork();
      setImmediate(() => {
        stream.uncork();
        if (waiting === stream) waiting = undefined;
      });
    }
    return send(command, ...more);
  };
}
