import type { Response } from 'express';
import type { Endpoint } from '../http/endpoint';
import type { FairGate, NoPlace } from './fair-gate';
import { Place } from './place';

/** Lets each call wait for its turn at a gate, and keep its place there until its handler is done. */
export class Turns {
  private readonly places = new WeakMap<Response, Place>();

  constructor(private readonly gate: FairGate) {}

  /** Waits for the turn of a call of this caller; resolves to its place, or to why it has none. */
  async enter(caller: string, response: Response): Promise<Place | NoPlace> {
    const gone = new AbortController();
    response.once('close', () => gone.abort());
    const entered = await this.gate.enter(caller, gone.signal);
    if (typeof entered === 'string') return entered;
    const place = new Place(entered);
    this.places.set(response, place);
    if (gone.signal.aborted) place.end();
    else response.once('close', () => place.end());
    return place;
  }

  /**
   * The endpoint, which gives a call's place to others once its handler is done, before its reader has taken the answer.
   * Whoever hangs up earlier keeps it as long as the handler works.
   */
  untilHandled<Access, Context>(endpoint: Endpoint<Access, Context>): Endpoint<Access, Context> {
    return {
      ...endpoint,
      handle: async (input) => {
        const place = this.places.get(input.response);
        if (place === undefined) return endpoint.handle(input);
        try {
          return await place.during(() => endpoint.handle(input));
        } finally {
          place.end();
        }
      },
    };
  }

  /** Gives a call's place to others at once: what is left of it takes long, and nothing of the service's. */
  leave(response: Response): void {
    this.places.get(response)?.leave();
  }
}
