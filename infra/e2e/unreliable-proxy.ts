import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { startHttpServer } from '@multi-drm/test-kit/servers/http-server';

/** A proxy between a client and a service. */
export interface UnreliableProxy {
  url: string;
  /** How many requests it has damaged. */
  damaged(): number;
  /** Resolves when everything that it has taken has reached the service. */
  idle(): Promise<void>;
}

interface Forwarded {
  status: number;
  body: Buffer;
}

const lateMilliseconds = 300;

type Damage = (forward: () => Promise<Forwarded>, response: ServerResponse) => Promise<void>;

const damages: Damage[] = [
  // The request never arrives.
  async (_, response) => void response.destroy(),
  // The answer is lost.
  async (forward, response) => {
    await forward();
    response.destroy();
  },
  // The request arrives late, beside its repeat or after the client has given up.
  async (forward, response) => {
    response.destroy();
    await delay(lateMilliseconds);
    await forward();
  },
  // The answer is late.
  async (forward, response) => {
    const { status, body } = await forward();
    await delay(lateMilliseconds);
    response.writeHead(status).end(body);
  },
  // The answer breaks off.
  async (forward, response) => {
    const { status, body } = await forward();
    response.writeHead(status, { 'Content-Length': body.length + 1 });
    response.write(body.subarray(0, body.length / 2), () => response.destroy());
  },
  // Another answer comes instead.
  async (forward, response) => {
    await forward();
    response.writeHead(502).end('<html>Bad gateway</html>');
  },
  async (forward, response) => {
    await forward();
    response.writeHead(200).end('<html>Please log in</html>');
  },
];

/**
 * Starts a proxy that damages every third request, by an unchanging order for each path and body; the rest goes through. From the sixth
 * repeat on nothing is damaged.
 */
export async function startUnreliableProxy(serviceUrl: string): Promise<UnreliableProxy> {
  const repeats = new Map<string, number>();
  const under: Promise<unknown>[] = [];
  let damaged = 0;

  async function pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = Buffer.concat(chunks);
    const forward = async () => {
      const { method = '', url } = request;
      const headers = Object.entries(request.headers).filter(
        ([name]) => name.startsWith('x-') || name.startsWith('content-type'),
      );
      const answer = await fetch(serviceUrl + url, { method, headers: headers as [string, string][], body });
      return { status: answer.status, body: Buffer.from(await answer.arrayBuffer()) };
    };
    const { subject } = JSON.parse(body.toString());
    const key = `${subject} ${request.url?.split('/').at(-1)}`;
    const repeat = repeats.get(key) ?? 0;
    repeats.set(key, repeat + 1);
    const [chance = 0, kind = 0] = createHash('sha256').update(`${key} ${repeat}`).digest();
    const damage = chance < 256 / 3 && repeat < 6 ? damages[kind % damages.length] : undefined;
    if (damage !== undefined) {
      damaged += 1;
      return damage(forward, response);
    }
    const answer = await forward();
    response.writeHead(answer.status, { 'Content-Type': 'application/json' }).end(answer.body);
  }

  const url = await startHttpServer((request, response) => void under.push(pass(request, response)));
  return { url, damaged: () => damaged, idle: async () => void (await Promise.all(under)) };
}
