import { say } from './message';

const id = /[0-9a-f]{8}-[0-9a-f-]{14}-([0-9a-f]{12})/g;

/** Tells the reader, step by step, what is called and what comes back. */
export class Story {
  private steps = 0;

  /** One line: the step in words, the call (such as `POST /api/v1/…`) and the outcome (such as `201, organization …`). */
  step(title: string, request: string, outcome: string): void {
    this.steps += 1;
    // Outcomes have the ids in full; in a path they would hide the route.
    say(`${String(this.steps).padStart(3)}. ${title}: ${request.replace(id, '…$1')} → ${outcome}`);
  }
}
