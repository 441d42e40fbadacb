import { readSandboxSubject } from '@multi-drm/policy';
import { type RequestEvent, unknownMembers } from '@multi-drm/slots';

/**
 * How many different refusals of one environment are recorded one by one in a pass; of the others, only how many there were of each code.
 */
const maximumRefusals = 50;

/** Returns the events with equal ones as one, which has their number and the time of the first. */
export function mergeEvents(events: readonly RequestEvent[]): RequestEvent[] {
  const merged = new Map<string, RequestEvent>();
  const refusals = new Map<string, number>();
  for (const event of events) {
    const isRefusal = event.kind !== 'license.issued';
    const differ = refusals.get(event.environmentId) ?? 0;
    const isKnown = add(merged, event, isRefusal && differ >= maximumRefusals);
    if (isRefusal && !isKnown) refusals.set(event.environmentId, differ + 1);
  }
  return [...merged.values()];
}

/** Returns whether there was an equal event. `inShort`: a new event keeps only its code. */
function add(merged: Map<string, RequestEvent>, event: RequestEvent, inShort: boolean): boolean {
  const key = keyOf(event);
  const equal = merged.get(key);
  if (equal !== undefined) {
    equal.count += event.count;
    return true;
  }
  if (inShort) return add(merged, codeOnly(event), false);
  merged.set(key, { ...event });
  return false;
}

function keyOf({ at, count, ...event }: RequestEvent): string {
  return JSON.stringify(event);
}

function codeOnly({ kind, environmentId, subject, at, count, code }: RequestEvent): RequestEvent {
  return {
    ...unknownMembers,
    kind,
    environmentId,
    // One for each code, and the control plane marks events of the sandbox by it.
    subject: subject !== null && readSandboxSubject(subject)?.code ? subject : null,
    at,
    count,
    code,
  };
}
