import { printLine } from './terminal-output';

const id = /[0-9a-f]{8}-[0-9a-f-]{14}-([0-9a-f]{12})/g;

/** Prints each step with its call and result. */
export class StepPrinter {
  private steps = 0;

  /** Prints one line: the step, the call (such as `POST /api/v1/…`) and the outcome (such as `201, organization …`). */
  print(title: string, request: string, outcome: string): void {
    this.steps += 1;
    // Ids are shortened in the call, where they would hide the route; outcomes have them in full.
    printLine(`${String(this.steps).padStart(3)}. ${title}: ${request.replace(id, '…$1')} → ${outcome}`);
  }
}
