import fc from 'fast-check';
import type { SlotEvent } from './events/slot-event';
import { ExpiredSessions } from './expired-sessions';
import type { ReserveRequest } from './slot-store';
import { newEvents } from './testing/appended-events';
import { SlotModel } from './testing/slot-model';
import { buckets } from './testing/subject-buckets';
import {
  describeOnEveryRedis,
  ended,
  exactClock,
  expectOutcome,
  newRequest,
  publishViewer,
  slotSettings,
  storeOn,
  subjectState,
  untilRedisTime,
} from './testing/test-store';

/** Describes an event as the model does. */
function inWords(event: SlotEvent): string {
  const session = `${event.kind} ${event.sessionId} ${event.reservationId}`;
  if (event.kind === 'started') return `${session} ${event.replacesSessionId} ${event.activeSessions}`;
  return event.kind === 'ended' ? `${session} ${event.reason} ${event.licenseRequests}` : session;
}

/** The expired sessions of a step end in no order. */
function expiredFirst(events: string[]): string[] {
  const isExpired = (words: string) => words.includes(' expired ');
  return [...events.filter(isExpired).sort(), ...events.filter((words) => !isExpired(words))];
}

const sessionId = fc.integer({ min: 1, max: 8 }).map((number) => `session-number-${number}`);
const limit = fc.constantFrom(null, 0, 1, 2, 3);
const step = fc.record({
  verb: fc.constantFrom(
    'reserve',
    'reserve',
    'reserve',
    'release',
    'remember',
    'undo',
    'restore',
    'renew',
    'count',
    'find',
    'expire',
    'sweep',
    'publish',
  ),
  sessionId,
  reservationId: fc.constantFrom('nonce-1', 'nonce-1', 'nonce-2'),
  requestHash: fc.constantFrom('usual', 'usual', 'usual', 'another'),
  limit,
  limitCeiling: fc.constantFrom(null, null, 1, 2),
  atStreamLimit: fc.constantFrom('reject' as const, 'evict-oldest' as const),
  organizationIsFull: fc.constantFrom(false, false, true),
  startsAreUsedUp: fc.constantFrom(false, false, false, true),
  replacesSessionId: fc.option(sessionId),
  lifetimeMilliseconds: fc.integer({ min: 60_000, max: 1_000_000 }),
  viewer: fc.constantFrom(
    null,
    { status: 'blocked' as const, maximumConcurrentStreams: null },
    { status: 'active' as const, maximumConcurrentStreams: null },
    { status: 'active' as const, maximumConcurrentStreams: 2 },
  ),
});

describeOnEveryRedis((client) => {
  it('the slot store follows the rules and keeps its keys consistent for any sequence of calls', async () => {
    const store = storeOn(client);
    const clock = exactClock();
    const onFailure = (error: unknown) => expect(error).toBeUndefined();
    const expired = new ExpiredSessions({ client, clock, ...slotSettings, onFailure });
    const play = async (steps: (typeof step extends fc.Arbitrary<infer Step> ? Step : never)[]): Promise<void> => {
      const model = new SlotModel();
      const subject = newRequest();
      const bucket = buckets.bucketOf(subject.environmentId, subject.subject);
      let shortSessions = 0;
      let restored = 0;
      const readNew = newEvents(client, subject);
      await readNew();
      for (const { verb, viewer, ...changes } of steps) {
        const request: ReserveRequest = { ...subject, ...changes };
        const before = Date.now() * 1_000;
        const call = { ...request, maximumSessionMilliseconds: 2_000_000, callsPerMinute: null };
        if (verb === 'reserve') {
          expect((await store.reserve(request)).outcome).toBe(model.reserve(request));
        } else if (verb === 'release') {
          expect(await store.release(ended(request))).toBe(model.release(request));
        } else if (verb === 'remember') {
          expect(await store.remember(request, null)).toBe(model.remember(request.sessionId));
        } else if (verb === 'undo') {
          await store.undo(request);
          model.undo(request);
        } else if (verb === 'restore') {
          restored += 1;
          const startedAt = new Date(1_000_000_000_000 + restored);
          const expiresAt = new Date(Date.now() + request.lifetimeMilliseconds);
          expect(await store.restore({ ...request, startedAt, expiresAt })).toBe(model.restore(request));
        } else if (verb === 'renew') {
          expect((await store.renew(call)).outcome).toBe(model.renew(request));
        } else if (verb === 'count') {
          expect((await store.countLicenseRequest(call)).outcome).toBe(model.countLicenseRequest(request));
        } else if (verb === 'publish') {
          await publishViewer(client, request, viewer);
          model.viewer = viewer;
        } else if (verb === 'sweep') {
          await expired.sweepEnvironment({ environmentId: subject.environmentId, bucket }, buckets);
          model.sweep();
        } else if (verb === 'expire' && model.viewer === null) {
          shortSessions += 1;
          const short = {
            ...newRequest(),
            ...subject,
            sessionId: `short-session-${shortSessions}`,
            lifetimeMilliseconds: 1,
          };
          const { expiresAt } = expectOutcome(await store.reserve(short), 'reserved');
          model.reserve(short);
          await untilRedisTime(client, new Date(expiresAt.getTime() + 1));
          model.expire(short.sessionId);
        }

        const events = await readNew();
        expect(expiredFirst(events.map(inWords))).toEqual(expiredFirst(model.takeEvents()));
        for (const event of events) {
          if (event.kind === 'ended' && event.reason === 'expired') {
            expect(event.at).toBe(event.expiresAt * 1_000);
          } else {
            expect(event.at).toBeGreaterThanOrEqual(before);
            expect(event.at).toBeLessThan((Date.now() + 1) * 1_000);
          }
          if (event.kind === 'started') expect(event.at).toBe(event.startedAt);
        }

        expect((await store.find(request)).state).toBe(model.find(request));
        if (request.replacesSessionId !== null) {
          const replaced = { ...request, sessionId: request.replacesSessionId };
          expect((await store.find(replaced)).state).toBe(model.find(replaced));
        }
        const { records, active } = await subjectState(client, subject);
        expect(records).toEqual([...model.slots].sort());
        const page = await store.listSubject(subject.environmentId, subject.subject, { limit: 1000 });
        expect(page.sessions.map(({ sessionId }) => sessionId)).toEqual(model.activeSessions());
        expect(active).toEqual(records);
        expect(await store.countOf(subject.environmentId, subject.subject)).toBe(model.activeSessions().length);
      }
    };
    await fc.assert(fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 60 }), play), { numRuns: 30 });
  });
});
