import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import type { UsageInterval } from '../stores/usage';
import { insertTenant } from '../testing/insert-tenant';
import { type KnownSession, naiveUsage } from '../testing/naive-usage';
import { ended, eventSession, started } from '../testing/slot-events';
import { day, firstDay, UsageStoring } from '../testing/usage-storing';

let storing: UsageStoring;

beforeAll(async () => {
  storing = await UsageStoring.open();
});

const second = 1_000_000;
const first = firstDay * 1000;
const midnight = first + day * 1000;

/** A session of one of two environments, and with which round of storing its start and its end are reported: in any order, or not. */
const sessionArbitrary = fc.record({
  environment: fc.nat(1),
  // Around midnight, some at the same microsecond.
  startedAt: fc.integer({ min: -900, max: 900 }).map((at) => midnight + at * second),
  seconds: fc.option(fc.oneof(fc.integer({ min: 1, max: 120 }), fc.integer({ min: 120, max: 12_000 })), {
    nil: undefined,
  }),
  contentId: fc.constantFrom('film', 'song'),
  applicationId: fc.constantFrom(null, 'app'),
  startRound: fc.nat(2),
  endRound: fc.nat(2),
});

const readAt = midnight + 14_000 * second;

/** Stores sessions in rounds, each followed by a recomputation. Returns the ids of the environments and of their organization. */
async function store(sessions: readonly Session[]): Promise<{ environmentIds: string[]; organizationId: string }> {
  const { environmentId, organizationId, projectId } = await insertTenant(storing.prisma);
  const { id } = await storing.prisma.environment.create({
    data: { projectId, kind: 'staging', name: 'Staging', maximumConcurrentStreams: 3 },
  });
  const environmentIds = [environmentId, id];
  const reported = sessions.map((session) => {
    const { contentId, applicationId, environment, startedAt } = session;
    const base = eventSession(environmentIds[environment] ?? '', { startedAt, subject: randomUUID() });
    return { session, reported: { ...base, details: { ...base.details, contentId, applicationId } } };
  });
  for (const round of [0, 1, 2]) {
    const events = reported.flatMap(({ session: { startRound, endRound, seconds }, reported: each }) => [
      ...(startRound === round ? [started(each)] : []),
      ...(seconds !== undefined && endRound === round ? [ended(each, 'released', seconds)] : []),
    ]);
    await storing.store(...events);
    await storing.rollUp(readAt / 1000);
  }
  return { environmentIds, organizationId };
}

type Session = typeof sessionArbitrary extends fc.Arbitrary<infer Value> ? Value : never;

const lengths: [UsageInterval, number][] = [
  ['minute', 60 * second],
  ['hour', 3600 * second],
  ['day', day * 1000],
];

async function expectUsage(scopeId: string, sessions: readonly Session[]): Promise<void> {
  for (const dimension of ['', 'contentId', 'applicationId'] as const) {
    const values = [...new Set(sessions.map((session) => groupOf(session, dimension)))].sort();
    const groups = values.map((value) => ({
      value,
      known: sessions.filter((session) => groupOf(session, dimension) === value).map(knownOf),
    }));
    for (const [interval, length] of lengths) {
      const rows = await storing.read(scopeId, interval, dimension, readAt / 1000);
      const actual = rows.map((row) => ({
        time: row.time.toISOString(),
        value: row.value,
        started: row.startedSessions,
        ended: row.endedSessions,
        peak: row.peakConcurrentStreams,
        seconds: row.streamSeconds,
      }));
      const expected = [];
      for (let from = first; from < readAt; from += length) {
        for (const { value, known } of groups) {
          const usage = naiveUsage(known, from, from + length, readAt);
          if (usage.peak === 0 && usage.started === 0 && Object.keys(usage.ended).length === 0) continue;
          expected.push({ time: new Date(from / 1000).toISOString(), value, ...usage });
        }
      }
      expect({ interval, dimension, rows: actual }).toEqual({ interval, dimension, rows: expected });
    }
  }
}

function groupOf({ contentId, applicationId }: Session, dimension: '' | 'contentId' | 'applicationId'): string {
  return { '': '', contentId, applicationId: applicationId ?? '' }[dimension];
}

const knownOf = ({ startedAt, seconds }: Session): KnownSession => ({
  startedAt,
  endedAt: seconds === undefined ? undefined : startedAt + seconds * second,
  reason: 'released',
});

test('however late and in whatever order sessions are reported, usage is what a naive count of them finds', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(sessionArbitrary, { minLength: 1, maxLength: 12 }), async (sessions) => {
      const { environmentIds, organizationId } = await store(sessions);
      await expectUsage(organizationId, sessions);
      for (const [index, scopeId] of environmentIds.entries()) {
        await expectUsage(
          scopeId,
          sessions.filter(({ environment }) => environment === index),
        );
      }
    }),
    { numRuns: 3 },
  );
});
