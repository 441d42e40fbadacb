import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Requests that one connection may have sent before its first answer is read. */
const maximumWaiting = 16;

/**
 * Milliseconds for which a connection takes nothing of an answer until it is seen to. At the second time it ends: the first
 * looks at how much is left, the second whether it got less.
 */
const defaultPatience = 15_000;

/** What a connection has asked for, in this order. */
interface Connection {
  /** Whether an answer is being made or sent. */
  isBusy: boolean;
  waiting: (() => void)[];
}

/**
 * Bounds what one connection can hold of the service's memory: requests that are sent ahead (RFC 9112, section 9.3.2) are
 * handled one after the other, each when the answer before has left the process. A connection with more than 16 of
 * them ends, and so does one that takes nothing of its answer for 15 to 30 seconds. A slow reader that takes something
 * now and then is waited for.
 */
export function answerInTurn(server: Server, listener: RequestListener, patience = defaultPatience): void {
  const connections = new WeakMap<Socket, Connection>();

  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const { socket } = request;
    const connection = connections.get(socket) ?? { isBusy: false, waiting: [] };
    connections.set(socket, connection);
    const begin = () => {
      connection.isBusy = true;
      response.once('close', () => {
        connection.isBusy = false;
        if (!socket.destroyed) connection.waiting.shift()?.();
      });
      listener(request, response);
    };
    if (!connection.isBusy) begin();
    else if (connection.waiting.length < maximumWaiting) connection.waiting.push(begin);
    else endAtOnce(socket);
  });

  // Of a connection with unsent bytes Node calls this only where none left since the last time.
  server.setTimeout(patience, (socket: Socket) => {
    const connection = connections.get(socket);
    // Before the first request there is a limit of its own, for the headers.
    if (connection === undefined) return;
    // Between two requests the connection was kept for as long as it should be.
    if (!connection.isBusy || socket.writableLength > 0) socket.destroy();
    else socket.setTimeout(patience); // the answer is still being made
  });
}

/**
 * Ends a connection in the middle of what was read of it: up to 64 KiB, which can be more than a thousand requests. Node
 * would parse them all, and has no public way to stop: 2 is what its parser is told of a connection that goes on in another
 * protocol. Where Node ever changes that, they are parsed again, in vain.
 */
function endAtOnce(socket: Socket & { parser?: { onIncoming?: unknown } | null }): void {
  if (socket.parser) socket.parser.onIncoming = () => 2;
  socket.destroy();
}
