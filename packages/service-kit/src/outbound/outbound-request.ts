import { type ClientRequest, Agent as HttpAgent, request as httpRequest, type RequestOptions } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import type { AddressGuard } from './address-guard';
import { connectionHeaders } from './connection-headers';
import { exchange, type OutboundAnswer } from './exchange';
import { failureOf, OutboundFailure } from './outbound-failure';
import { dnsResolver, type ResolveHost, systemResolver } from './resolve-host';

export interface OutboundRequest {
  method: 'GET' | 'POST';
  url: string;
  headers?: Record<string, string>;
  body?: Buffer;
}

interface OutboundOptions {
  guard: AddressGuard;
  /** Maximum connections to one origin; further requests wait for one. */
  maximumConnections: number;
  /** Default 1 MiB. */
  maximumAnswerBytes?: number;
  /** How long an idle connection is kept, unless the server asks for less. Default 15 s. */
  idleMilliseconds?: number;
  /** Resolves every host. Default: the system for hosts that the operator allows, DNS for all others. */
  resolve?: ResolveHost;
}

interface SendOptions {
  /** Ends the request at any stage: waiting, resolving, connecting, or reading a slow response. */
  signal: AbortSignal;
  /** Whether plain http is allowed, too. */
  httpAllowed?: boolean;
  /** Uses a new connection and closes it afterwards: for retries after the server closed a kept one. */
  ownConnection?: boolean;
}

const maximumHeaderBytes = 16_384;

/** How long to try one of several addresses before the next (RFC 8305). Node's 250 ms are too short. */
const attemptMilliseconds = 1_000;

const publicResolver = dnsResolver();

interface Agents {
  http: HttpAgent;
  https: HttpsAgent;
}

/**
 * Sends requests to URLs that somebody else supplied. Resolves every host, checks all its addresses, and connects only
 * to a checked address, so that DNS cannot change its answer in between. One refused address refuses the whole host.
 * Connections are kept alive, redirects are not followed, and proxy environment variables are ignored.
 */
export class OutboundClient {
  private readonly agents: Agents;
  private readonly ownConnections: Agents;

  constructor(private readonly options: OutboundOptions) {
    const { maximumConnections, idleMilliseconds = 15_000 } = options;
    const agentsOf = (kept: { keepAlive: boolean; maxSockets: number }): Agents => {
      const shared = {
        ...kept,
        timeout: idleMilliseconds, // applies to idle connections: active ones have their signal
        lookup: this.lookup,
        autoSelectFamily: true,
        autoSelectFamilyAttemptTimeout: attemptMilliseconds,
      };
      return { http: new HttpAgent(shared), https: new HttpsAgent({ ...shared, rejectUnauthorized: true }) };
    };
    this.agents = agentsOf({ keepAlive: true, maxSockets: maximumConnections });
    // With a limit, Node would keep a connection open for waiting requests.
    this.ownConnections = agentsOf({ keepAlive: false, maxSockets: Number.POSITIVE_INFINITY });
  }

  /**
   * Returns the server's response, whatever its status. Throws `OutboundFailure`, or a TypeError for a header that HTTP
   * cannot carry, which is a bug of the caller.
   */
  async send(request: OutboundRequest, options: SendOptions): Promise<OutboundAnswer> {
    const { signal, httpAllowed = false, ownConnection = false } = options;
    const url = this.requireAllowed(request.url, httpAllowed);
    if (signal.aborted) throw new OutboundFailure('timed_out', 'not_sent');
    const agents = ownConnection ? this.ownConnections : this.agents;
    return exchange(open(agents, url, request), {
      body: request.body,
      maximumAnswerBytes: this.options.maximumAnswerBytes ?? 1_048_576,
      signal,
    });
  }

  /** Closes idle connections, so that the next request opens a new one. */
  closeIdle(): void {
    for (const agent of [this.agents.http, this.agents.https]) {
      for (const socket of Object.values(agent.freeSockets).flat()) socket?.destroy();
    }
  }

  /** Closes all connections, including those in use. */
  close(): void {
    for (const { http, https } of [this.agents, this.ownConnections]) {
      http.destroy();
      https.destroy();
    }
  }

  private requireAllowed(text: string, httpAllowed: boolean): URL {
    const refused = () => new OutboundFailure('address_refused', 'not_sent');
    if (!URL.canParse(text)) throw refused();
    const url = new URL(text);
    if (url.protocol !== 'https:' && !(httpAllowed && url.protocol === 'http:')) throw refused();
    if (url.username !== '' || url.password !== '') throw refused();
    // Node does not call `lookup` for address literals, so they are checked here.
    if (this.options.guard.refusesLiteral(url.hostname)) throw refused();
    return url;
  }

  /** Returns checked addresses to Node, which connects to them as they are. */
  private readonly lookup: LookupFunction = (hostname, { all }, callback) => {
    this.addressesOf(hostname).then(
      (addresses) => {
        const [first] = addresses;
        if (first === undefined) callback(new OutboundFailure('unreachable', 'not_sent'), '');
        else if (all) callback(null, addresses);
        else callback(null, first.address, first.family);
      },
      (error: unknown) => callback(failureOf(error, 'not_sent'), ''),
    );
  };

  private async addressesOf(hostname: string): Promise<{ address: string; family: number }[]> {
    const { guard, resolve } = this.options;
    const isAllowed = guard.allowsHost(hostname);
    const addresses = await (resolve ?? (isAllowed ? systemResolver : publicResolver))(hostname);
    if (!isAllowed && addresses.some((address) => guard.refuses(address))) {
      throw new OutboundFailure('address_refused', 'not_sent');
    }
    return addresses.map((address) => ({ address, family: isIP(address) }));
  }
}

function open(agents: Agents, url: URL, { method, headers = {}, body }: OutboundRequest): ClientRequest {
  const own = Object.entries(headers).filter(([name]) => !connectionHeaders.has(name.toLowerCase()));
  const options: RequestOptions = {
    method,
    headers: {
      'accept-encoding': 'identity',
      ...Object.fromEntries(own.map(([name, value]) => [name.toLowerCase(), value])),
      ...(body === undefined ? {} : { 'content-length': body.length }),
    },
    maxHeaderSize: maximumHeaderBytes,
  };
  return url.protocol === 'https:'
    ? httpsRequest(url, { ...options, agent: agents.https })
    : httpRequest(url, { ...options, agent: agents.http });
}
