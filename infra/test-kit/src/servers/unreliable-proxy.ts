import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { startHttpServer } from './http-server';

/** A call that the proxy got. `body`: empty if it has none. */
export interface ProxyCall {
  path: string;
  body: string;
}

/** An answer as the proxy passes it on. `cutOff`: its connection ends before its body. */
export interface ProxyAnswer {
  status: number;
  headers: Record<string, string>;
  body: string;
  cutOff?: boolean;
}

/** Asks the service; resolves to its answer. */
export type Forward = () => Promise<ProxyAnswer>;

/** Decides what a caller gets: calls `forward` for the answer of the service, and returns undefined to drop the connection. */
export type Behaviour = (call: ProxyCall, forward: Forward) => Promise<ProxyAnswer | undefined>;

/** A proxy before the playback service that a check can make unreliable. It does not keep the process running. */
export class UnreliableProxy {
  /** How many calls it got since it was last given a behaviour. */
  calls = 0;
  private behaviour: Behaviour = (_, forward) => forward();

  private constructor(readonly url: string) {}

  static async start(serviceUrl: string): Promise<UnreliableProxy> {
    const url = await startHttpServer((request, response) => {
      proxy.calls += 1;
      proxy.pass(serviceUrl, request, response).catch(() => response.destroy());
    });
    const proxy = new UnreliableProxy(url);
    return proxy;
  }

  /** Behaves like this from now on. */
  use(behaviour: Behaviour): void {
    this.calls = 0;
    this.behaviour = behaviour;
  }

  private async pass(serviceUrl: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { url: path = '/' } = request;
    const body = await text(request);
    const answer = await this.behaviour({ path, body }, () => forward(`${serviceUrl}${path}`, request, body));
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

/** Behaves in one way for the first calls, then changes nothing. */
export function atFirst(count: number, behaviour: Behaviour): Behaviour {
  let calls = 0;
  return (call, forward) => {
    calls += 1;
    return calls <= count ? behaviour(call, forward) : forward();
  };
}

/** An answer of the proxy itself. */
export function json(status: number, body: unknown, headers: Record<string, string> = {}): ProxyAnswer {
  return { status, headers: { 'Content-Type': 'application/json', ...headers }, body: JSON.stringify(body) };
}

async function forward(url: string, { method, headers }: IncomingMessage, body: string): Promise<ProxyAnswer> {
  const passed = Object.entries(headers).filter(([name]) => /^(content-type|accept|x-)/.test(name));
  const response = await fetch(url, {
    method: method ?? 'GET',
    headers: Object.fromEntries(passed.map(([name, value]) => [name, String(value)])),
    ...(body === '' ? {} : { body }),
  });
  const kept = ['content-type', 'retry-after'].flatMap((name) => {
    const value = response.headers.get(name);
    return value === null ? [] : [[name, value]];
  });
  return { status: response.status, headers: Object.fromEntries(kept), body: await response.text() };
}
