import { PendingUndos } from './pending-undos';
import type { PlacedReservation } from './slot-store';
import { buckets } from './testing/subject-buckets';

const reservation = (sessionId: string): PlacedReservation => ({
  buckets,
  environmentId: 'environment',
  subject: 'viewer',
  sessionId,
  reservationId: 'nonce',
});

function undosOn(undo: (reservation: PlacedReservation) => Promise<void>) {
  const clock = { now: 0 };
  return { clock, undos: new PendingUndos({ undo }, () => clock.now) };
}

test('they are undone oldest first, once each', async () => {
  const undone: string[] = [];
  const { undos } = undosOn(async ({ sessionId }) => void undone.push(sessionId));
  for (const id of ['first', 'second', 'third']) undos.add(reservation(id), 1_000);
  await undos.retry();
  await undos.retry();
  expect(undone).toEqual(['first', 'second', 'third']);
});

test('a failed one stays, with those after it', async () => {
  let away = true;
  const undone: string[] = [];
  const { undos } = undosOn(async ({ sessionId }) => {
    if (away && sessionId === 'second') throw new Error('out of reach');
    undone.push(sessionId);
  });
  for (const id of ['first', 'second', 'third']) undos.add(reservation(id), 1_000);
  await expect(undos.retry()).rejects.toThrow('out of reach');
  expect(undos.size).toBe(2);
  away = false;
  await undos.retry();
  expect(undone).toEqual(['first', 'second', 'third']);
});

test('one whose slot has expired is forgotten', async () => {
  const undone: string[] = [];
  const { clock, undos } = undosOn(async ({ sessionId }) => void undone.push(sessionId));
  undos.add(reservation('short'), 1_000);
  undos.add(reservation('long'), 5_000);
  clock.now = 1_000;
  await undos.retry();
  expect(undone).toEqual(['long']);
});

test('their number is bounded in a long outage', () => {
  const { undos } = undosOn(async () => undefined);
  for (let index = 0; index < 10_005; index += 1) undos.add(reservation(`session-${index}`), 1_000);
  expect(undos.size).toBe(10_000);
});
