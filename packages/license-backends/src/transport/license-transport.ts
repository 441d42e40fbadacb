import { type AddressGuard, OutboundClient, OutboundFailure, type ResolveHost } from '@multi-drm/service-kit';
import { LRUCache } from 'lru-cache';
import type { BackendAnswer, BackendRequest, DrmSystem } from '../backends/license-backend';
import { CircuitBreaker } from './circuit-breaker';
import { ConnectionGate } from './connection-gate';
import { leftAlone, problemOf, tooManyWaiting } from './transport-problems';

interface LicenseTransportOptions {
  guard: AddressGuard;
  /** From the call of `send` to the last byte of the answer, waiting and a second try included. */
  timeoutMilliseconds: number;
  /** Connections to one backend. */
  maximumConnections: number;
  /** Requests that wait for a connection to one backend; more are answered at once. */
  maximumWaiting: number;
  /** Failures in a row after which a backend is left alone. Default 5. */
  failuresToOpen?: number;
  /** For how long. Default 10 s. */
  openMilliseconds?: number;
  /** Backends followed at once; of more, those not asked for longest start anew. Default 10,000. */
  maximumBackends?: number;
  /** Milliseconds on a clock that never goes back. Default: that of the process. */
  now?: () => number;
  resolve?: ResolveHost;
  /** Ends after so many milliseconds. Default: `AbortSignal.timeout`. */
  startTimeout?: (milliseconds: number) => AbortSignal;
}

/** Whose backend a request goes to. */
export interface BackendOwner {
  environmentId: string;
  drmSystem: DrmSystem;
  /** Whether plain http is taken: in development environments alone. */
  httpAllowed?: boolean;
}

/** What is kept of one backend. */
interface Backend {
  url: string;
  client: OutboundClient;
  gate: ConnectionGate;
  breaker: CircuitBreaker;
}

/** A proxy says with these that the server behind it is down. A 500 is not among them: a bad challenge can cause one. */
const downStatuses = new Set([502, 503, 504]);

/**
 * Sends requests to license servers. Connections, waiting requests and failures are kept per environment and DRM system,
 * so that a backend that hangs costs nobody but its owner.
 */
export class LicenseTransport {
  private readonly backends: LRUCache<string, Backend>;

  constructor(private readonly options: LicenseTransportOptions) {
    this.backends = new LRUCache({ max: options.maximumBackends ?? 10_000 });
  }

  /**
   * The server's answer, whatever its status. `makeRequest` is called for each try, and makes the vendor token anew: some
   * vendors take a token once. Throws the Problem `license_backend_unavailable` (504 where it took too long, else 502),
   * or `license_backend_refused` where the URL leads to an address that is not allowed.
   */
  async send(owner: BackendOwner, makeRequest: () => BackendRequest): Promise<BackendAnswer> {
    const { timeoutMilliseconds, startTimeout = AbortSignal.timeout.bind(AbortSignal) } = this.options;
    const first = makeRequest();
    const { breaker, client, gate } = this.backendOf(owner, first.url);
    if (breaker.refuses()) throw leftAlone(breaker.remainingMilliseconds());
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
            if (!isWorthASecondTry(error)) throw error;
            client.closeIdle(); // closed just as long ago
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

  /** A new URL is another backend: it inherits neither failures nor connections. Those left close when idle. */
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

/** Sends through the breaker and tells it what became of the request. */
async function guarded(breaker: CircuitBreaker, send: () => Promise<BackendAnswer>): Promise<BackendAnswer> {
  const attempt = breaker.enter();
  // It may have opened, or begun its probe, while the request waited.
  if (attempt === undefined) throw leftAlone(breaker.remainingMilliseconds());
  try {
    const answer = await send();
    if (downStatuses.has(answer.status)) attempt.failed();
    else attempt.succeeded();
    return answer;
  } catch (error) {
    // A refused address is the settings' fault, and stays told as such.
    if (error instanceof OutboundFailure && error.kind !== 'address_refused') attempt.failed();
    else attempt.undecided();
    throw error;
  }
}

/**
 * Whether the server cannot have answered: nothing was sent, or it went to a kept connection that the server had closed
 * for idleness, and not a byte came back. A new connection that broke may have delivered the request.
 */
function isWorthASecondTry(error: unknown): boolean {
  if (!(error instanceof OutboundFailure) || error.kind !== 'unreachable') return false;
  return error.progress === 'not_sent' || error.progress === 'sent_on_kept_connection';
}
