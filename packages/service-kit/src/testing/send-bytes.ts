import type { Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';

/** Sends these bytes, which no HTTP client would send; resolves to what the server answers until it closes. */
export async function sendBytes(server: Server, bytes: string): Promise<string> {
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  socket.write(bytes, 'latin1');
  return text(socket);
}
