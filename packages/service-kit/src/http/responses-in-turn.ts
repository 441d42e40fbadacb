import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** How many requests a connection may queue behind the one being answered. */
const maximumWaiting = 16;

/**
 * Milliseconds without progress on a response before a connection is checked. It is closed at the second check in a
 * row: the first one records how much is unsent, the second sees whether that shrank.
 */
const defaultPatience = 15_000;

/** The requests of one connection, in the order they arrived. */
interface Connection {
  /** Whether a response is being prepared or sent. */
  isBusy: boolean;
  waiting: (() => void)[];
}

/**
 * Bounds the memory that one connection can hold. Pipelined requests (RFC 9112, section 9.3.2) are handled one at a
 * time, each after the previous response has left the process. A connection is closed if it queues more than 16
 * requests, or if it reads nothing of its response for 15 to 30 seconds. A slow reader that still makes progress is
 * kept.
 */
export function respondInTurn(server: Server, listener: RequestListener, patience = defaultPatience): void {
  const connections = new WeakMap<Socket, Connection>();

  const inTurn =
    (respond: RequestListener) =>
    (request: IncomingMessage, response: ServerResponse): void => {
      const { socket } = request;
      const connection = connections.get(socket) ?? { isBusy: false, waiting: [] };
      connections.set(socket, connection);
      const begin = () => {
        // The connection has broken, or has ended with the previous response: nobody could receive a response.
        if (!socket.writable) return;
        connection.isBusy = true;
        response.once('close', () => {
          connection.isBusy = false;
          connection.waiting.shift()?.();
        });
        respond(request, response);
      };
      if (!connection.isBusy) begin();
      else if (connection.waiting.length < maximumWaiting) connection.waiting.push(begin);
      else endImmediately(socket);
    };
  server.on('request', inTurn(listener));
  server.on('checkExpectation', inTurn(refuseExpectation));

  // If bytes are unsent, Node emits a timeout only if none left since the last one.
  server.setTimeout(patience, (socket: Socket) => {
    const connection = connections.get(socket);
    // Before the first request, the headers timeout applies.
    if (connection === undefined) return;
    // Idle between two requests: the keep-alive time is over.
    if (!connection.isBusy || socket.writableLength > 0) socket.destroy();
    else socket.setTimeout(patience); // the response is still being prepared
  });
}

/**
 * Answers an `Expect` other than `100-continue` as Node does if nobody else answers it. Node would not count that as a
 * request: a connection without any other would never be closed.
 */
const refuseExpectation: RequestListener = (_request, response) => {
  response.writeHead(417).end();
};

/**
 * Closes a connection without parsing the rest of what was read from it: up to 64 KiB, which can be more than a
 * thousand requests. Node has no public way to stop its parser. Returning 2 from `onIncoming` tells the parser that the
 * connection switches to another protocol. If Node changes that, the requests are merely parsed and ignored.
 */
function endImmediately(socket: Socket & { parser?: { onIncoming?: unknown } | null }): void {
  if (socket.parser) socket.parser.onIncoming = () => 2;
  socket.destroy();
}
