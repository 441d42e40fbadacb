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
  /** Connections to one origin; more requests wait for one. */
  maximumConnections: number;
  /** Default 1 MiB. */
  maximumAnswerBytes?: number;
  /** How long a connection without a request is kept, unless the server says less. Default 15 s. */
  idleMilliseconds?: number;
  /** Resolves every host; default: the system for hosts that the operator allows, DNS for all others. */
  resolve?: ResolveHost;
}

interface SendOptions {
  /** Ends the request wherever it is: waiting, resolving, connecting, or reading an answer that drips. */
  signal: AbortSignal;
  /** Whether plain http is taken, too. */
  httpAllowed?: boolean;
  /** Over a connection of its own, which is closed afterwards: where kept ones turned out to be closed by the server. */
  ownConnection?: boolean;
}

const maximumHeaderBytes = 16_384;

/** How long one of several addresses may take to connect before the next is tried (RFC 8305); Node's 250 ms is short. */
const attemptMilliseconds = 1_000;

const publicResolver = dnsResolver();

interface Agents {
  http: HttpAgent;
  https: HttpsAgent;
}

/**
 * Sends requests to URLs that somebody else wrote. Every host is resolved here, each of its addresses checked, and the
 * connection made to an address that was checked, so that DNS cannot answer differently in between; one refused address
 * refuses the host. Connections are kept, redirects not followed, proxies of the process's environment not used.
 */
export class OutboundClient {
  private readonly agents: Agents;
  private readonly ownConnections: Agents;

  constructor(private readonly options: OutboundOptions) {
    const { maximumConnections, idleMilliseconds = 15_000 } = options;
    const agentsOf = (kept: { keepAlive: boolean; maxSockets: number }): Agents => {
      const shared = {
        ...kept,
        timeout: idleMilliseconds, // of idle connections: an active one has its signal
        lookup: this.lookup,
        autoSelectFamily: true,
        autoSelectFamilyAttemptTimeout: attemptMilliseconds,
      };
      return { http: new HttpAgent(shared), https: new HttpsAgent({ ...shared, rejectUnauthorized: true }) };
    };
    this.agents = agentsOf({ keepAlive: true, maxSockets: maximumConnections });
    // With a limit Node would keep a connection for the requests that wait for one.
    this.ownConnections = agentsOf({ keepAlive: false, maxSockets: Number.POSITIVE_INFINITY });
  }

  /**
   * The server's answer, whatever its status. Throws `OutboundFailure`; a header that HTTP cannot carry is the caller's
   * mistake and a TypeError.
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

  /** Closes the connections that no request uses, so that the next one makes its own. */
  closeIdle(): void {
    for (const agent of [this.agents.http, this.agents.https]) {
      for (const socket of Object.values(agent.freeSockets).flat()) socket?.destroy();
    }
  }

  /** Closes every connection, those in use as well. */
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
    // Node does not look up addresses, so they are checked here.
    if (this.options.guard.refusesLiteral(url.hostname)) throw refused();
    return url;
  }

  /** What Node connects to: it takes these addresses as they are. */
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
