import type { EndUserDocument } from '@multi-drm/contracts';
import { effectiveStreamLimit, type StreamFacts, streamLimitStep } from './stream-limit-step';

const viewerWith = (maximumConcurrentStreams: number | null): EndUserDocument => ({
  userId: '9b0d9a51-1f0e-4d0b-9a53-0f9a4c1f2b77',
  environmentId: '5f0d2a51-0f0e-4d0b-9a53-0f9a4c1f2b77',
  status: 'active',
  maximumConcurrentStreams,
});
const facts: StreamFacts = {
  policy: { maximumConcurrentStreams: 3, streamCeiling: null, atStreamLimit: 'reject' },
  sources: {
    maximumConcurrentStreams: 'environment',
    streamCeiling: 'license profile "studio"',
    atStreamLimit: 'custom policy',
  },
  viewer: null,
  inUse: 0,
  replacesActiveSession: false,
  organizationIsFull: false,
};
const unlimited = { ...facts.policy, maximumConcurrentStreams: null };
const evicting = { ...facts.policy, atStreamLimit: 'evict-oldest' as const };

test.each<[string, number | null, number | null, number | null, number | null, string]>([
  ["the viewer's own, even if the policy's is lower", 5, 3, null, 5, 'end user'],
  ["the viewer's own, even if the policy has none", 5, null, null, 5, 'end user'],
  ["the policy's if the viewer has none", null, 3, null, 3, 'environment'],
  ["the ceiling if the viewer's own is higher", 5, 2, 2, 2, 'license profile "studio"'],
  ["the viewer's own within the ceiling", 1, 2, 2, 1, 'end user'],
  ['the ceiling if there is no other', null, null, 2, 2, 'license profile "studio"'],
  ['none if no source sets one', null, null, null, null, 'environment'],
  ['a hundred if it is higher', null, 101, null, 100, 'environment'],
  ["a hundred if the viewer's own is higher", 1_000, 3, 101, 100, 'license profile "studio"'],
])('the limit is %s', (_case, own, policyLimit, streamCeiling, limit, source) => {
  const policy = { ...facts.policy, maximumConcurrentStreams: policyLimit, streamCeiling };
  expect(effectiveStreamLimit({ ...facts, policy, viewer: viewerWith(own) })).toEqual({ limit, source });
});

test.each<[string, Partial<StreamFacts>, ReturnType<typeof streamLimitStep>['code']]>([
  ['below the limit, a session starts', { inUse: 2 }, null],
  ['at the limit, it is refused', { inUse: 3 }, 'concurrent_stream_limit_reached'],
  ['above a lowered limit, it is refused', { inUse: 4 }, 'concurrent_stream_limit_reached'],
  ['at the limit, it may replace another', { inUse: 3, replacesActiveSession: true }, null],
  [
    'above the limit, replacing one session is not enough',
    { inUse: 4, replacesActiveSession: true },
    'concurrent_stream_limit_reached',
  ],
  ['at the limit, a policy that evicts ends the oldest session', { inUse: 3, policy: evicting }, null],
  ["the viewer's own limit applies", { inUse: 1, viewer: viewerWith(1) }, 'concurrent_stream_limit_reached'],
  [
    "the ceiling overrides the viewer's own limit",
    { inUse: 2, viewer: viewerWith(9), policy: { ...facts.policy, streamCeiling: 2 } },
    'concurrent_stream_limit_reached',
  ],
  [
    'at a limit of zero, there is nothing to evict',
    { policy: { ...evicting, maximumConcurrentStreams: 0 } },
    'concurrent_stream_limit_reached',
  ],
  ['without a limit, a hundredth session starts', { inUse: 99, policy: unlimited }, null],
  [
    'without a limit, a session beyond a hundred is refused',
    { inUse: 100, policy: unlimited },
    'concurrent_stream_limit_reached',
  ],
  [
    'without a limit, a policy that evicts ends the oldest of a hundred',
    { inUse: 100, policy: { ...unlimited, atStreamLimit: 'evict-oldest' } },
    null,
  ],
  ['a full plan refuses', { organizationIsFull: true }, 'organization_stream_limit_reached'],
  [
    "the viewer's limit is checked before the plan's",
    { inUse: 3, organizationIsFull: true },
    'concurrent_stream_limit_reached',
  ],
  ['a full plan allows a replacement', { inUse: 1, organizationIsFull: true, replacesActiveSession: true }, null],
  ['a full plan allows an eviction', { inUse: 3, organizationIsFull: true, policy: evicting }, null],
  [
    'a full plan refuses an additional stream even if the policy evicts',
    { inUse: 2, organizationIsFull: true, policy: evicting },
    'organization_stream_limit_reached',
  ],
])('%s', (_case, change, code) => {
  const decision = streamLimitStep({ ...facts, ...change });
  expect(decision.code).toBe(code);
  expect(decision.steps.at(-1)?.outcome).toBe(code === null ? 'passed' : 'refused');
});

test('the steps name the sources and the count', () => {
  expect(streamLimitStep({ ...facts, inUse: 3 }).steps).toEqual([
    { rule: 'viewer_stream_limit', source: 'environment', outcome: 'refused', detail: '3 of 3 streams are in use.' },
  ]);
  expect(streamLimitStep({ ...facts, inUse: 3, policy: evicting }).steps).toEqual([
    expect.objectContaining({ source: 'custom policy', detail: expect.stringContaining('oldest session would end') }),
    expect.objectContaining({ rule: 'organization_stream_limit', source: 'organization', outcome: 'passed' }),
  ]);
});
