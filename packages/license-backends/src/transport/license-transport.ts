import { type AddressGuard, atMost, OutboundClient, OutboundFailure, type ResolveHost } from '@multi-drm/service-kit';
import { LRUCache } from 'lru-cache';
import type { BackendAnswer, BackendRequest, DrmSystem } from '../backends/license-backend';
import { CircuitBreaker } from './circuit-breaker';
import { ConnectionGate } from './connection-gate';
import { circuitOpen, problemOf, tooManyWaiting } from './transport-problems';

interface LicenseTransportOptions {
  guard: AddressGuard;
  /** From the call of `send` to the last byte of the response, including waiting and a second attempt. */
  timeoutMilliseconds: number;
  /** Maximum connections to one backend. */
  maximumConnections: number;
  /** Maximum requests waiting for a connection to one backend; further ones fail at once. */
  maximumWaiting: number;
  /** Consecutive failures after which requests to a backend pause. Default 5. */
  failuresToOpen?: number;
  /** How long they pause. Default 10 s. */
  openMilliseconds?: number;
  /** How many backends are tracked; beyond that, the least recently used one is forgotten. Default 10,000. */
  maximumBackends?: number;
  /** Milliseconds on a monotonic clock. Default: that of the process. */
  now?: () => number;
  resolve?: ResolveHost;
  /** Returns a signal that aborts after this many milliseconds. Default: `AbortSignal.timeout`. */
  startTimeout?: (milliseconds: number) => AbortSignal;
}

/** The owner of the backend that a request goes to. */
export interface BackendOwner {
  environmentId: string;
  drmSystem: DrmSystem;
  /** Whether plain http is allowed: only in development environments. */
  httpAllowed?: boolean;
}

/** The state kept for one backend. */
interface Backend {
  url: string;
  client: OutboundClient;
  gate: ConnectionGate;
  breaker: CircuitBreaker;
}

/** Statuses with which a proxy reports that its server is down. Not 500, which a bad challenge can cause. */
const downStatuses = new Set([502, 503, 504]);

/**
 * Sends requests to license servers. Connections, waiting requests and failures are tracked per environment and DRM
 * system, so that a hanging backend affects only its owner.
 */
export class LicenseTransport {
  private readonly backends: LRUCache<string, Backend>;

  constructor(private readonly options: LicenseTransportOptions) {
    this.backends = new LRUCache(atMost(options.maximumBackends ?? 10_000));
  }

  /**
   * Returns the server's response, whatever its status. Calls `makeRequest` for each attempt, so that each has a new
   * vendor token: some vendors accept a token only once. Throws `license_backend_unavailable` (504 on timeout,
   * otherwise 502), or `license_backend_refused` if the URL leads to an address that is not allowed.
   */
  async send(owner: BackendOwner, makeRequest: () => BackendRequest): Promise<BackendAnswer> {
    const { timeoutMilliseconds, startTimeout = AbortSignal.timeout.bind(AbortSignal) } = this.options;
    const first = makeRequest();
    const { breaker, client, gate } = this.backendOf(owner, first.url);
    if (breaker.refuses()) throw circuitOpen(breaker.remainingMilliseconds());
    const signal = startTimeout(timeoutMilliseconds);
    const entered = gate.enter(signal);
    if (entered === undefined) throw tooManyWaiting();
    try {
      const leave = await entered;
      try {
        const { httpAllowed = false } = owner;
        const send = (request: BackendRequest, ownConnection: boolean) =>
          client.send({ method: 'POST', ...request }, { signal, httpAllowed, ownConnection });
        return await guarded(breaker, async () => {
          try {
            return await send(first, false);
          } catch (error) {
            if (!canRetry(error)) throw error;
            client.closeIdle(); // likely closed by the server as well
            return await send(makeRequest(), true);
          }
        });
      } finally {
        leave();
      }
    } catch (error) {
      throw problemOf(error);
    }
  }

  /** Closes every connection. */
  close(): void {
    for (const { client } of this.backends.values()) client.close();
    this.backends.clear();
  }

  /**
   * A new URL counts as a new backend without the old failures and connections. The old connections close when idle.
   */
  private backendOf({ environmentId, drmSystem }: BackendOwner, url: string): Backend {
    const key = `${environmentId}:${drmSystem}`;
    const known = this.backends.get(key);
    if (known?.url === url) return known;
    const { guard, maximumConnections, maximumWaiting, resolve } = this.options;
    const { failuresToOpen = 5, openMilliseconds = 10_000, now = () => performance.now() } = this.options;
    const backend = {
      url,
      client: new OutboundClient({ guard, maximumConnections, ...(resolve === undefined ? {} : { resolve }) }),
      gate: new ConnectionGate({ maximumActive: maximumConnections, maximumWaiting }),
      breaker: new CircuitBreaker({ failuresToOpen, openMilliseconds, now }),
    };
    this.backends.set(key, backend);
    return backend;
  }
}

/** Sends through the circuit breaker and reports the outcome to it. */
async function guarded(breaker: CircuitBreaker, send: () => Promise<BackendAnswer>): Promise<BackendAnswer> {
  const attempt = breaker.enter();
  // The circuit may have opened, or its probe may have started, while the request waited.
  if (attempt === undefined) throw circuitOpen(breaker.remainingMilliseconds());
  try {
    const answer = await send();
    if (downStatuses.has(answer.status)) attempt.failed();
    else attempt.succeeded();
    return answer;
  } catch (error) {
    // A refused address is an error in the settings, and must keep being reported as such.
    if (error instanceof OutboundFailure && error.kind !== 'address_refused') attempt.failed();
    else attempt.undecided();
    throw error;
  }
}

/**
 * Whether the server cannot have acted on the request: nothing was sent, or it was sent on a kept connection that the
 * server had closed for idleness, and no byte came back. If a new connection breaks, the request may have arrived.
 */
function canRetry(error: unknown): boolean {
  if (!(error instanceof OutboundFailure) || error.kind !== 'unreachable') return false;
  return error.progress === 'not_sent' || error.progress === 'sent_on_kept_connection';
}
