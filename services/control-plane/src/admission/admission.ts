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
import type { Caller } from '../access/access';

interface AdmissionOptions {
  turns: Turns;
  /** Calls by organization. */
  organizationCalls: RateLimiter;
  refusedCredentials: RefusedCredentials;
}

/** Whom a call counts for. */
interface Account {
  name: string;
  organizationId: string | null;
}

/** Seconds until a call that found no place among those of its caller is worth another try. */
const retrySeconds = 1;

/** Operations that take long without the database, and of which few may be under way by a bound of their own. */
const boundElsewhere = new Set(['testDrmSystem']);

/** A management key, which is looked up in the database; tokens and operators' keys are verified by computing alone. */
const lookedUp = /^Bearer +mk_/i;

/**
 * Keeps organizations from getting into each other's way: counts the calls of each, and lets a few of each be under way
 * while the others wait. A call counts for the organization that its credential was last seen to be of, so that nothing
 * is looked up for one that is too many; one with a credential that this process has not seen waits with its address.
 */
export class Admission {
  private readonly known = new KnownCredentials<Account>();

  constructor(private readonly options: AdmissionOptions) {}

  /**
   * Waits until it is the call's turn. Throws `rate_limited` where its organization, or its bad credentials, have called
   * too often or have too many calls waiting; `service_unavailable` where everybody together has too many under way.
   */
  async enter(request: Request, response: Response): Promise<Place> {
    const authorization = authorizationOf(request);
    const address = countedAddress(clientAddress(request));
    const account = this.known.ownerOf(authorization);
    if (account !== undefined) this.countCall(account);
    else if (lookedUp.test(authorization)) this.options.refusedCredentials.requireLeft(authorization, address);

    const place = await this.options.turns.enter(account?.name ?? `address ${address}`, response);
    if (place === 'caller_busy') throw rateLimited(retrySeconds, 'Too many calls are under way at once.');
    if (place === 'all_busy') throw new Problem('service_unavailable', 'The service is busy for now.');
    return place;
  }

  /** Learns from the authentication of a call whom it counts for. */
  async identify(request: Request, authenticate: () => Promise<Caller>): Promise<Caller> {
    const authorization = authorizationOf(request);
    const isKnown = this.known.ownerOf(authorization) !== undefined;
    try {
      const caller = await authenticate();
      const account = accountOf(caller);
      if (!isKnown) this.countCall(account);
      this.known.remember(authorization, account);
      return caller;
    } catch (error) {
      if (!(error instanceof Problem) || error.status !== 401 || authorization === '') throw error;
      this.known.forget(authorization);
      this.options.refusedCredentials.count(authorization, countedAddress(clientAddress(request)));
      throw error;
    }
  }

  /** The endpoint, whose calls give their places to others once their handlers are done; at once where it is bound elsewhere. */
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
    if (seconds !== undefined) throw rateLimited(seconds, 'The organization made too many calls within a minute.');
  }
}

const authorizationOf = (request: Request): string => request.get('Authorization') ?? '';

function accountOf(caller: Caller): Account {
  if (caller.kind === 'operator') return { name: `operator ${caller.name}`, organizationId: null };
  return { name: `organization ${caller.organizationId}`, organizationId: caller.organizationId };
}
