import { packSlotEvent } from '@multi-drm/slots/testing';
import { inTransaction } from '../database/pool-transaction';
import { Erasing } from '../testing/erasing';
import { eventually } from '../testing/eventually';
import { ended, started } from '../testing/slot-events';

let erasing: Erasing;

beforeAll(async () => {
  erasing = await Erasing.start();
});
beforeEach(() => erasing.beginTest());

const subjects = async () => (await erasing.events()).map(({ type, subject }) => [type, subject]);

test('an end and a refusal that are reported after the erasure are stored without the subject', async () => {
  const own = erasing.session();
  await erasing.store(packSlotEvent(started(own)));
  const id = await erasing.erase();
  await erasing.runLastPass();
  await erasing.store(packSlotEvent(ended(own, 'terminated', 90)));
  await erasing.storeRequests(erasing.refusal({ sessionId: own.sessionId, at: Date.now() - 30_000 }));
  expect((await subjects()).sort()).toEqual([
    ['session.ended', id],
    ['session.refused', id],
    ['session.started', id],
  ]);
});

test.each([
  ['its player asks with its token', (reservationId: string) => reservationId],
  ['its backend asks by its id', () => null],
])('a session of an erased viewer that goes on: what is reported when %s does not name it', async (_name, nonceOf) => {
  const own = erasing.session();
  const { sessionId } = own;
  await erasing.store(packSlotEvent(started(own)));
  const id = await erasing.erase();
  await erasing.run();
  await erasing.storeRequests(erasing.refusal({ sessionId, reservationId: nonceOf(own.reservationId) }));
  expect(await subjects()).toEqual([
    ['session.started', id],
    ['session.refused', id],
  ]);
});

test('what a player asked for whose session was reported after it does not name the erased viewer, either', async () => {
  const own = erasing.session();
  const { sessionId, reservationId } = own;
  const id = await erasing.erase();
  await erasing.storeRequests(
    erasing.refusal({ sessionId, reservationId }),
    erasing.refusal({ sessionId, reservationId: null, code: 'subject_blocked' }),
  );
  await erasing.store(packSlotEvent(started(own)), packSlotEvent(ended(own)));
  expect(new Set((await subjects()).map(([, subject]) => subject))).toEqual(new Set([id]));
});

test('stored at the same moment as its session, what a player asks for does not name the erased viewer, either', async () => {
  const own = erasing.session();
  const { sessionId, reservationId } = own;
  const id = await erasing.erase();
  const { pool, prisma } = erasing;
  const stored: Promise<unknown>[] = [];
  await inTransaction(pool, async (client) => {
    await client.query('LOCK TABLE event IN SHARE ROW EXCLUSIVE MODE');
    stored.push(erasing.storeRequests(erasing.refusal({ sessionId, reservationId })));
    stored.push(erasing.store(packSlotEvent(started(own))));
    await eventually(async () => {
      const waiting = await prisma.$queryRaw`SELECT FROM pg_stat_activity
        WHERE datname = current_database() AND wait_event_type = 'Lock'`;
      expect(waiting).toHaveLength(2);
    });
  });
  await Promise.all(stored);
  expect((await subjects()).map(([, subject]) => subject)).toEqual([id, id]);
});

test('what is reported of a new viewer with the same subject names it', async () => {
  await erasing.store(packSlotEvent(started(erasing.session())));
  await erasing.erase();
  const later = erasing.session({ startedAt: (Date.now() + 20_000) * 1000 });
  const { sessionId, reservationId } = later;
  await erasing.store(packSlotEvent(started(later)));
  await erasing.storeRequests(
    erasing.refusal({ sessionId, reservationId }),
    erasing.refusal({ sessionId, reservationId: null, code: 'subject_blocked' }),
    erasing.refusal({ code: 'content_not_found' }),
    erasing.refusal({ sessionId: 'a session that was refused', code: 'content_archived' }),
  );
  const { subject } = erasing;
  const named = (await subjects()).filter(([, of]) => of === subject);
  expect(named).toHaveLength(6);
});
