import { packRequestEvents, type RequestEvent, requestEventsKey, unknownMembers } from '@multi-drm/slots';
import { EventReading } from '../testing/event-reading';
import { ended, eventSession, resumed, started } from '../testing/slot-events';

let reading: EventReading;

beforeAll(async () => {
  reading = await EventReading.start();
});
beforeEach(() => reading.beginTest());
afterEach(() => reading.endTest());

const refused = (changes: Partial<RequestEvent>): RequestEvent => ({
  ...unknownMembers,
  kind: 'session.refused',
  environmentId: reading.environmentId,
  subject: null,
  at: Date.now(),
  count: 1,
  code: 'subject_blocked',
  contentId: 'lesson-0042',
  contentType: 'vod',
  drmSystem: 'widevine',
  ...changes,
});

/** Tells everything of two sessions with this subject, and that a create and a license of it were refused. Returns the marks. */
async function marksOf(subject: string): Promise<unknown[]> {
  const [session, other] = [eventSession(reading.environmentId, { subject }), eventSession(reading.environmentId)];
  await reading.append(started(session), started(other), resumed(session), ended(session));
  const requests = [
    refused({ subject }),
    refused({ subject, kind: 'license.refused' }),
    refused({ subject: 'viewer-17' }),
  ];
  await reading.redis.rpush(requestEventsKey(3), packRequestEvents(requests));
  await reading.createReader().readOnce();
  const events = await reading.events();
  expect(events).toHaveLength(7);
  return events.filter((event) => event.subject === subject).map(({ data }) => (data as { sandbox?: boolean }).sandbox);
}

test('every event of a subject of the sandbox is marked, and no other', async () => {
  expect(await marksOf('sandbox-license:subject_blocked')).toEqual([true, true, true, true, true]);
  const others = (await reading.events()).filter(({ subject }) => subject !== 'sandbox-license:subject_blocked');
  for (const { data } of others) expect(data).not.toHaveProperty('sandbox');
  expect((await reading.sessions()).map((session) => [session.subject, session.sandbox]).sort()).toEqual([
    ['lms:3f9c:17', false],
    ['sandbox-license:subject_blocked', true],
  ]);
});

test.each(['staging', 'production'] as const)('in a %s environment, none is', async (kind) => {
  await reading.prisma.environment.update({ where: { id: reading.environmentId }, data: { kind } });
  expect(await marksOf('sandbox-license:subject_blocked')).toEqual(Array(5).fill(undefined));
});

test('the end of a session is marked like its start, whatever has become of its subject', async () => {
  const subject = 'sandbox-license:subject_blocked';
  const session = eventSession(reading.environmentId, { subject });
  await reading.append(started(session));
  await reading.createReader().readOnce();
  await reading.append(ended({ ...session, subject: 'erased' }));
  await reading.createReader().readOnce();
  expect((await reading.events()).map(({ data }) => data)).toMatchObject([{ sandbox: true }, { sandbox: true }]);
});
