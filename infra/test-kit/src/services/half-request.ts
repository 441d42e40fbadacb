import { once } from 'node:events';
import { type IncomingMessage, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** What a server answers, with the members of a response of supertest that tests of problems read. */
export interface HalfRequestAnswer {
  status: number;
  headers: Record<string, string>;
  text: string;
  body: Record<string, unknown>;
  request: { url: string };
}

/** Sends a request whose body stops after its first byte, and resolves to the JSON that the server answers. Closes the server. */
export async function answerToHalfRequest(server: Server): Promise<HalfRequestAnswer> {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const sent = request(url, { method: 'POST', headers: { 'Content-Length': 2 }, agent: false });
  sent.write('{');
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  const answer = await text(response);
  sent.destroy();
  server.close();
  return {
    status: response.statusCode ?? 0,
    headers: response.headers as Record<string, string>,
    text: answer,
    body: JSON.parse(answer) as Record<string, unknown>,
    request: { url },
  };
}
