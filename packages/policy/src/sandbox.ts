import { type EnvironmentDocument, type ProblemCode, playbackDocument, problemCodesOf } from '@multi-drm/contracts';
import { type RefusedRule, refused } from './decision-step';

/** The operations that the sandbox can refuse, each with the beginning of the subjects that ask for it. The problem code follows. */
const prefixes = { createPlaybackSession: 'sandbox:', acquireLicense: 'sandbox-license:' } as const;

/** All prefixes begin so: of other subjects, nothing more is compared. */
const commonPrefix = 'sandbox';

export type SandboxOperation = keyof typeof prefixes;

const operations = Object.keys(prefixes) as SandboxOperation[];

/** The codes of an operation are those that its OpenAPI document lists, so that the sandbox never answers what cannot happen. */
const codes: Record<SandboxOperation, readonly ProblemCode[]> = {
  createPlaybackSession: problemCodesOf(playbackDocument, 'createPlaybackSession'),
  acquireLicense: problemCodesOf(playbackDocument, 'acquireLicense'),
};

/** What a subject of the sandbox asks for. */
export interface SandboxSubject {
  operation: SandboxOperation;
  /** The problem with which the operation is refused; null if the subject names none that the operation can be refused with. */
  code: ProblemCode | null;
}

/** Returns the subjects with which the sandbox refuses an operation, one for each problem code. */
export function sandboxSubjects(operation: SandboxOperation): string[] {
  return codes[operation].map((code) => `${prefixes[operation]}${code}`);
}

/** Returns what a subject asks for in an environment that has a sandbox; null for an ordinary subject. */
export function readSandboxSubject(subject: string): SandboxSubject | null {
  if (!subject.startsWith(commonPrefix)) return null;
  const operation = operations.find((each) => subject.startsWith(prefixes[each]));
  if (operation === undefined) return null;
  const named = subject.slice(prefixes[operation].length);
  return { operation, code: codes[operation].find((code) => code === named) ?? null };
}

/** Whether environments of this kind have a sandbox. In all others, every subject is an ordinary one. */
export function hasSandbox(kind: EnvironmentDocument['kind']): boolean {
  return kind === 'development';
}

/**
 * Returns the rule by which the sandbox of an environment refuses an operation for a subject; null if it does not. A create with a subject
 * that names no code is refused with `invalid_request`, so that a typing error does not pass for a success.
 */
export function checkSandbox(
  operation: SandboxOperation,
  { kind }: Pick<EnvironmentDocument, 'kind'>,
  subject: string,
): RefusedRule | null {
  if (!hasSandbox(kind)) return null;
  const asked = readSandboxSubject(subject);
  if (asked === null) return null;
  if (asked.code !== null) {
    return asked.operation === operation
      ? refused('sandbox', 'request', asked.code, 'The sandbox refuses this subject.')
      : null;
  }
  if (operation !== 'createPlaybackSession') return null;
  const detail = `In the sandbox, "${prefixes[asked.operation]}" must be followed by a problem code of ${asked.operation}.`;
  return refused('sandbox', 'request', 'invalid_request', detail);
}
