import { Problem } from '@multi-drm/contracts';
import {
  clientAddress,
  countedAddress,
  type Endpoint,
  KnownCredentials,
  type Place,
  type RateLimiter,
  type RefusedCredentials,
  rateLimited,
  type Turns,
} from '@multi-drm/service-kit';
import type { Request, Response } from 'express';
import { CannotVerify } from './cannot-verify';

interface AdmissionOptions {
  turns: Turns;
  /** Counts requests by organization. */
  organizationCalls: RateLimiter;
  refusedCredentials: RefusedCredentials;
}

/** The caller of an authenticated request. */
type Identified = { kind: 'operator'; name: string } | { kind: 'managementKey' | 'oidc'; organizationId: string };

/** The organization or address for which a request counts. */
interface Account {
  name: string;
  organizationId: string | null;
}

/** `Retry-After` in seconds for a request whose caller has no free place. */
const retrySeconds = 1;

/** Slow operations that do not use the database. They have a concurrency limit of their own. */
const boundElsewhere = new Set(['testDrmSystem']);

/** Statuses of requests that were refused because of their body or parameters. */
const invalid: ReadonlySet<number> = new Set([400, 413, 415]);

/** Matches a management key, which must be looked up in the database. Tokens and operator keys are verified without a lookup. */
const lookedUp = /^Bearer +mk_/i;

/**
 * Keeps organizations from slowing each other down. Limits the request rate of each organization, and how many of its requests run at the
 * same time; the others wait. A request counts for the organization to which its credential last belonged, so that a request beyond the
 * limit costs no lookup. If this process has not seen the credential, the request waits in the queue of its address.
 */
export class Admission {
  private readonly known = new KnownCredentials<Account>();

  constructor(private readonly options: AdmissionOptions) {}

  /**
   * Waits until the request may run. Throws `rate_limited` if its organization, or its invalid credentials, sent too
   * many requests or have too many waiting; `service_unavailable` if too many requests of all callers are in progress.
   */
  async enter(request: Request, response: Response): Promise<Place> {
    const authorization = authorizationOf(request);
    const address = countedAddress(clientAddress(request));
    const account = this.known.ownerOf(authorization);
    if (account !== undefined) this.countCall(account);
    else if (lookedUp.test(authorization)) this.options.refusedCredentials.requireLeft(authorization, address);

    return this.placeOf(account?.name ?? `address ${address}`, response);
  }

  /**
   * Waits until a request that needs no credential may run, in turn with the others of its address. Throws like `enter`, and if the address
   * has sent too many refused credentials or invalid requests. If this request is invalid, it counts, too, because validating it takes
   * time. It also counts if the caller hangs up before it is validated.
   */
  async enterWithoutCredential(request: Request, response: Response): Promise<void> {
    const { refusedCredentials } = this.options;
    const address = countedAddress(clientAddress(request));
    refusedCredentials.requireAddressLeft(address);
    response.once('close', () => {
      if (invalid.has(response.statusCode) || !response.writableFinished) refusedCredentials.countAddress(address);
    });
    await this.placeOf(`address ${address}`, response);
  }

  private async placeOf(caller: string, response: Response): Promise<Place> {
    const place = await this.options.turns.enter(caller, response);
    if (place === 'caller_busy') throw rateLimited(retrySeconds, 'Too many requests are in progress at once.');
    if (place === 'all_busy') throw new Problem('service_unavailable', 'The service is currently overloaded.');
    return place;
  }

  /**
   * Authenticates a request that has entered, and notes for whom it counts. If that was not known, the request gives back the place of its
   * address and waits for a place of its organization, so that others behind the same address do not wait for its work.
   */
  async identify<Caller extends Identified>(
    request: Request,
    response: Response,
    place: Place,
    authenticate: () => Promise<Caller>,
  ): Promise<{ caller: Caller; place: Place }> {
    const authorization = authorizationOf(request);
    const isKnown = this.known.ownerOf(authorization) !== undefined;
    try {
      const caller = await place.during(authenticate);
      if (isKnown) return { caller, place };
      const account = accountOf(caller);
      this.known.remember(authorization, account);
      this.countCall(account);
      place.leave();
      return { caller, place: await this.placeOf(account.name, response) };
    } catch (error) {
      const isRefused = error instanceof Problem && error.status === 401 && authorization !== '';
      const isUnverified = error instanceof Problem && error.cause instanceof CannotVerify && !isKnown;
      if (!isRefused && !isUnverified) throw error;
      if (isRefused) this.known.forget(authorization);
      this.options.refusedCredentials.count(authorization, countedAddress(clientAddress(request)));
      throw error;
    }
  }

  /** Returns the endpoint, which frees the place when its handler is done, or immediately if the operation has a limit of its own. */
  untilHandled<Access, Context>(endpoint: Endpoint<Access, Context>): Endpoint<Access, Context> {
    const { turns } = this.options;
    if (!boundElsewhere.has(endpoint.operationId)) return turns.untilHandled(endpoint);
    return {
      ...endpoint,
      handle: (input) => {
        turns.leave(input.response);
        return endpoint.handle(input);
      },
    };
  }

  private countCall({ organizationId }: Account): void {
    if (organizationId === null) return;
    const seconds = this.options.organizationCalls.take(organizationId);
    if (seconds !== undefined) throw rateLimited(seconds, 'The organization sent too many requests within a minute.');
  }
}

const authorizationOf = (request: Request): string => request.get('Authorization') ?? '';

function accountOf(caller: Identified): Account {
  if (caller.kind === 'operator') return { name: `operator ${caller.name}`, organizationId: null };
  return { name: `organization ${caller.organizationId}`, organizationId: caller.organizationId };
}
