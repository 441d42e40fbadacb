import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { findFreePort, localHost } from '@multi-drm/local/ports';

/** An answer as the proxy passes it on. `cutOff`: its connection ends before its body. */
export interface ProxyAnswer {
  status: number;
  headers: Record<string, string>;
  body: string;
  cutOff?: boolean;
}

/** Decides what a caller gets: calls `forward` for the answer of the service, and returns undefined to drop the connection. */
export type Behaviour = (path: string, forward: () => Promise<ProxyAnswer>) => Promise<ProxyAnswer | undefined>;

/** A proxy before the playback service that a check can make unreliable. */
export class UnreliableProxy {
  /** How many calls it got since it was last given a behaviour. */
  calls = 0;
  private behaviour: Behaviour = passOn;

  private constructor(
    readonly url: string,
    /** Stops it. */
    readonly close: () => void,
  ) {}

  static async start(serviceUrl: string): Promise<UnreliableProxy> {
    const server = createServer((request, response) => {
      proxy.calls += 1;
      proxy.pass(serviceUrl, request, response).catch(() => response.destroy());
    });
    const port = await findFreePort();
    server.listen(port, localHost);
    await once(server, 'listening');
    const proxy = new UnreliableProxy(`http://${localHost}:${port}`, () => {
      server.closeAllConnections();
      server.close();
    });
    return proxy;
  }

  /** Behaves like this from now on. */
  use(behaviour: Behaviour): void {
    this.calls = 0;
    this.behaviour = behaviour;
  }

  private async pass(serviceUrl: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const path = request.url ?? '/';
    const answer = await this.behaviour(path, () => forward(`${serviceUrl}${path}`, request, Buffer.concat(chunks)));
    if (answer === undefined) return void response.destroy();
    const length = Buffer.byteLength(answer.body);
    response.writeHead(
      answer.status,
      answer.status === 204 ? {} : { ...answer.headers, 'Content-Length': String(length) },
    );
    if (answer.cutOff !== true) return void response.end(answer.body);
    response.write(answer.body.slice(0, answer.body.length / 2), () => response.destroy());
  }
}

/** Changes nothing. */
export const passOn: Behaviour = (_, forward) => forward();

/** Behaves in one way for the first calls, then changes nothing. */
export function atFirst(count: number, behaviour: Behaviour): Behaviour {
  let calls = 0;
  return (path, forward) => {
    calls += 1;
    return calls <= count ? behaviour(path, forward) : forward();
  };
}

/** An answer of the proxy itself. */
export function json(status: number, body: unknown, headers: Record<string, string> = {}): ProxyAnswer {
  return { status, headers: { 'Content-Type': 'application/json', ...headers }, body: JSON.stringify(body) };
}

async function forward(url: string, { method, headers }: IncomingMessage, body: Buffer): Promise<ProxyAnswer> {
  const passed = Object.entries(headers).filter(([name]) => /^(content-type|accept|x-)/.test(name));
  const response = await fetch(url, {
    method: method ?? 'GET',
    headers: Object.fromEntries(passed.map(([name, value]) => [name, String(value)])),
    ...(body.length === 0 ? {} : { body }),
  });
  const kept = ['content-type', 'retry-after'].flatMap((name) => {
    const value = response.headers.get(name);
    return value === null ? [] : [[name, value]];
  });
  return { status: response.status, headers: Object.fromEntries(kept), body: await response.text() };
}
