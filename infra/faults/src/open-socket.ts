import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** Opens a connection to the server at a URL, which may end in any way. */
export async function openSocket(url: string): Promise<Socket> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  socket.on('error', () => undefined); // a reset is one of the ways in which it may end
  await once(socket, 'connect');
  return socket;
}
