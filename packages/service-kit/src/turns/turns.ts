import type { Response } from 'express';
import type { Endpoint } from '../http/endpoint';
import type { FairGate, NoPlace } from './fair-gate';
import { Place } from './place';

/** Makes calls wait for a place at a gate, and keeps the place until the handler is done. */
export class Turns {
  private readonly places = new WeakMap<Response, Place>();

  constructor(private readonly gate: FairGate) {}

  /** Waits for a place for a call of this caller; resolves to the place, or to the reason why there is none. */
  async enter(caller: string, response: Response): Promise<Place | NoPlace> {
    // There is no 'close' any more for a caller who has gone before, such as while its credential was looked up.
    let gone = response.closed;
    let stopWaiting: (() => void) | undefined;
    response.once('close', () => {
      gone = true;
      stopWaiting?.();
      this.places.get(response)?.end();
    });
    const entered = await this.gate.enter(caller, (giveUp) => {
      stopWaiting = giveUp;
    });
    stopWaiting = undefined;
    if (typeof entered === 'string') return entered;
    const place = new Place(entered);
    this.places.set(response, place);
    if (gone) place.end();
    return place;
  }

  /**
   * Wraps an endpoint so that a call gives its place back once its handler is done, before its response has been read.
   * If the caller hangs up earlier, the place is kept until the handler is done.
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

  /** Gives a call's place back early: what remains takes long, but uses no resources of the service. */
  leave(response: Response): void {
    this.places.get(response)?.leave();
  }
}
