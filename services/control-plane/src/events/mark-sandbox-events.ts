import type { EnvironmentDocument } from '@multi-drm/contracts';
import { hasSandbox, readSandboxSubject } from '@multi-drm/policy';
import type { ParsedEntry } from './parsed-entries';
import type { SandboxMark } from './sandbox-mark';

/** Returns entries whose events are marked if they are of the sandbox. `kinds`: those of the environments, by id. */
export function withSandboxMarks(
  entries: readonly ParsedEntry[],
  kinds: ReadonlyMap<string, EnvironmentDocument['kind']>,
): ParsedEntry[] {
  const mark = <Event extends { environmentId: string; subject: string | null }>(event: Event): Event & SandboxMark => {
    const kind = kinds.get(event.environmentId);
    if (kind === undefined || !hasSandbox(kind) || readSandboxSubject(event.subject ?? '') === null) return event;
    return { ...event, sandbox: true };
  };
  return entries.map((entry) => ({
    ...entry,
    slot: entry.slot && mark(entry.slot),
    requests: entry.requests.map(mark),
  }));
}
