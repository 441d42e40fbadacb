import { RateLimiter } from '@multi-drm/service-kit';
import { OrganizationStarts } from './organization-starts';

let time = 0;
beforeEach(() => {
  time = 1_790_000_040_000;
});

function startsOf(withoutStreamLimit?: number, onStarted?: () => void): OrganizationStarts {
  const limiter = new RateLimiter({ limit: undefined, now: () => time });
  return new OrganizationStarts({ limiter, withoutStreamLimit, onStarted });
}

const organization = (maximumConcurrentStreams: number | null, organizationId = 'one') => ({
  organizationId,
  maximumConcurrentStreams,
});

/** Starts sessions until none is allowed; returns how many, at most a million. */
function startAll(starts: OrganizationStarts, which: ReturnType<typeof organization>): number {
  for (let count = 0; count < 1_000_000; count += 1) {
    if (starts.wait(which) !== undefined) return count;
    starts.countOne(which);
  }
  return Number.POSITIVE_INFINITY;
}

test.each([
  [1, 600],
  [60, 600],
  [61, 610],
  [10_000, 100_000],
])('an organization with %i streams may start %i sessions in a minute', (streams, most) => {
  expect(startAll(startsOf(), organization(streams))).toBe(most);
});

test('an organization without a stream limit may start any number, or as many as the operator allows', () => {
  expect(startAll(startsOf(), organization(null))).toBe(Number.POSITIVE_INFINITY);
  expect(startAll(startsOf(700), organization(null))).toBe(700);
});

test('the next minute begins with none, and organizations are counted separately', () => {
  const starts = startsOf();
  startAll(starts, organization(1));
  expect(starts.wait(organization(1))).toBe(60 - (time % 60_000) / 1000);
  expect(starts.wait(organization(1, 'another'))).toBeUndefined();
  time += 60_000;
  expect(starts.wait(organization(1))).toBeUndefined();
});

test('a larger plan takes effect within the minute', () => {
  const starts = startsOf();
  startAll(starts, organization(1));
  expect(startAll(starts, organization(100))).toBe(400);
});

test('every session that starts is reported, with and without a limit', () => {
  const onStarted = jest.fn();
  const starts = startsOf(undefined, onStarted);
  starts.countOne(organization(1));
  starts.countOne(organization(null));
  expect(onStarted).toHaveBeenCalledTimes(2);
});
