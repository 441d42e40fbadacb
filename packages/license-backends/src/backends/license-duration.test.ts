import { licenseDuration } from './license-duration';
import { callOf, now } from './testing/calls';
import { problemOf } from './testing/refusal-cases';

const after = (milliseconds: number) => new Date(now.getTime() + milliseconds);
const { policy } = callOf('widevine');

test.each([
  ['the session', 90_900, undefined, undefined, { endsAt: after(90_000), seconds: 90 }],
  ['the policy', 90_000, 60, undefined, { endsAt: after(60_000), seconds: 60 }],
  ['the session before the policy', 90_000, 31_536_000, undefined, { endsAt: after(90_000), seconds: 90 }],
  ['playback', 90_000, undefined, 30, { endsAt: after(90_000), seconds: 90, playbackSeconds: 30 }],
  ['playback, within the license', 90_000, 60, 86_400, { endsAt: after(60_000), seconds: 60, playbackSeconds: 60 }],
  ['the last second', 1000, undefined, undefined, { endsAt: after(1000), seconds: 1 }],
])('a license ends with %s', (_name, milliseconds, license, playback, expected) => {
  const durations = {
    ...(license === undefined ? {} : { licenseDurationSeconds: license }),
    ...(playback === undefined ? {} : { playbackDurationSeconds: playback }),
  };
  const call = callOf('widevine', { licenseEndsAt: after(milliseconds), policy: { ...policy, ...durations } });
  expect(licenseDuration(call)).toEqual(expected);
});

test.each([999, 0, -1])('no license is requested %i ms before the end: vendors read 0 as "no end"', async (left) => {
  const problem = await problemOf(() => licenseDuration(callOf('widevine', { licenseEndsAt: after(left) })));
  expect(problem.code).toBe('session_expired');
});
