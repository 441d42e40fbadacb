import { playbackProblems } from '@multi-drm/contracts';
import { checkSandbox, readSandboxSubject, sandboxSubjects } from './sandbox';

test('every problem of playback can be tried, except those that neither a create nor a license request gets', () => {
  const subjects = [...sandboxSubjects('createPlaybackSession'), ...sandboxSubjects('acquireLicense')];
  const tried = new Set(subjects.map((subject) => subject.replace(/^.*:/, '')));
  const others = Object.keys(playbackProblems).filter((code) => !tried.has(code));
  expect(others).toEqual(['method_not_allowed', 'certificate_not_found']);
});

test('a subject asks for the problem of one operation', () => {
  expect(readSandboxSubject('sandbox:subject_blocked')).toEqual({
    operation: 'createPlaybackSession',
    code: 'subject_blocked',
  });
  expect(readSandboxSubject('sandbox-license:token_expired')).toEqual({
    operation: 'acquireLicense',
    code: 'token_expired',
  });
  expect(readSandboxSubject('sandbox:token_expired')).toEqual({ operation: 'createPlaybackSession', code: null });
  expect(readSandboxSubject('viewer-17')).toBeNull();
});

test.each(['staging', 'production'] as const)('a %s environment has no sandbox', (kind) => {
  const operations = ['createPlaybackSession', 'acquireLicense'] as const;
  const subjects = [...operations.flatMap(sandboxSubjects), 'sandbox:unknown'];
  for (const subject of subjects) {
    for (const operation of operations) expect(checkSandbox(operation, { kind }, subject)).toBeNull();
  }
});
