import type { Mutant } from '../mutant';

const policy = 'packages/policy/src';
const events = 'services/control-plane/src/events';
const usage = 'services/control-plane/src/usage';

/** Protections of the sandbox: where it ends, and what it leaves no trace in. */
export const sandboxMutants: Mutant[] = [
  {
    name: 'sandbox-in-production',
    protection: 'Only development environments have a sandbox.',
    file: `${policy}/sandbox.ts`,
    find: "return kind === 'development';",
    replace: 'return kind.length > 0;',
    suite: 'playback/src/sandbox',
  },
  {
    name: 'sandbox-typing-error',
    protection: 'A create whose subject names no problem code of the sandbox does not succeed.',
    file: `${policy}/sandbox.ts`,
    find: "if (operation !== 'createPlaybackSession') return null;",
    replace: 'if (operation.length > 0) return null;',
    suite: 'playback/src/sandbox',
  },
  {
    name: 'sandbox-of-ended-session',
    protection: 'A session of the sandbox that has ended is refused with its own reason.',
    file: 'services/playback/src/licenses/fetch-license.ts',
    find: '  const { environmentId, subject, sessionId, reservationId } = token;\n  const count = ()',
    replace:
      "  const { environmentId, subject, sessionId, reservationId } = token;\n  refuseInSandbox('acquireLicense', { kind: 'development' }, token, () => new Date());\n  const count = ()",
    suite: 'playback/src/sandbox',
  },
  {
    name: 'sandbox-failure',
    protection: 'A failure that is only a refusal of the sandbox is not logged as a failure of the service.',
    file: 'packages/service-kit/src/http/problem-exit.ts',
    find: 'const hasFailed = problem !== error || problem.cause !== undefined;',
    replace: 'const hasFailed = problem.status >= 500;',
    suite: 'playback/src/sandbox',
  },
  {
    name: 'sandbox-counted',
    protection: 'Usage does not count what happens in the sandbox.',
    file: `${usage}/counted-events.ts`,
    find: "AND event.data->'sandbox' IS NULL ",
    replace: '',
    suite: 'usage-roll-up.test -t sandbox',
  },
  {
    name: 'sandbox-viewers-counted',
    protection: 'Viewers of the sandbox are not counted as viewers of a month.',
    file: `${events}/usage-notes.ts`,
    find: 'data.sandbox !== true && ',
    replace: '',
    suite: 'usage-roll-up.test -t sandbox',
  },
  {
    name: 'sandbox-unmarked-end',
    protection: 'The end of a session is marked like its start, so that usage never counts one without the other.',
    file: `${events}/store-slot-events.ts`,
    find: 'changeRow({ ...event, sandbox: changed.sandbox })',
    replace: 'changeRow(event)',
    suite: 'mark-sandbox-events.test',
  },
  {
    name: 'sandbox-marked-in-production',
    protection: 'Events of an ordinary subject are not marked, whatever it is called.',
    file: `${events}/mark-sandbox-events.ts`,
    find: '!hasSandbox(kind) || ',
    replace: '',
    suite: 'mark-sandbox-events.test',
  },
  {
    name: 'sandbox-in-short',
    protection: 'Of many refusals at the same time, those of the sandbox can still be distinguished from others.',
    file: 'services/playback/src/events/merge-events.ts',
    find: 'readSandboxSubject(subject)?.code ? subject : null',
    replace: 'readSandboxSubject(subject)?.code ? null : null',
    suite: 'merge-events.test',
  },
  {
    name: 'sandbox-backend-health',
    protection: 'Refusals of the sandbox do not change the health of a license backend.',
    file: 'services/control-plane/src/stores/license-outcomes.ts',
    find: "        AND data -> 'sandbox' IS NULL\n",
    replace: '',
    suite: 'features/evaluations -t sandbox',
  },
  {
    name: 'page-without-words',
    protection: 'The page of the demo has words for every problem of playback.',
    file: 'infra/demo-site/page/words.mjs',
    find: '  certificate_not_found: otherDevice,\n',
    replace: '',
    suite: 'demo-site/src/words.test',
  },
];
