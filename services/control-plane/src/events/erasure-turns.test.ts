import { packSlotEvent } from '@multi-drm/slots/testing';
import { Erasing } from '../testing/erasing';
import { insertTenant } from '../testing/insert-tenant';
import { started } from '../testing/slot-events';

let erasing: Erasing;

beforeAll(async () => {
  erasing = await Erasing.start();
});
beforeEach(() => erasing.beginTest());

/** Adds license events of the viewer, a millisecond apart. */
async function insertEvents(count: number): Promise<void> {
  const { prisma, environmentId, subject } = erasing;
  await prisma.$executeRaw`
    INSERT INTO event (time, id, type, scope_id, subject, data)
    SELECT now() - n * interval '1 ms', gen_random_uuid(), 'license.issued', ${environmentId}::uuid, ${subject}, '{}'
    FROM generate_series(1, ${count}::integer) AS n`;
}

const countNamed = () => erasing.prisma.event.count({ where: { subject: erasing.subject } });

test('an erasure that fails keeps no other from running, and is repeated', async () => {
  const { prisma } = erasing;
  await erasing.store(packSlotEvent(started(erasing.session())));
  await erasing.erase();
  const other = await insertTenant(prisma);
  const session = erasing.session({ environmentId: other.environmentId, subject: 'another viewer' });
  await erasing.store(packSlotEvent(started(session)));
  const id = await erasing.erase('another viewer', other);
  await prisma.$executeRaw`UPDATE erasure SET next_pass_at = now() - interval '1 s' WHERE subject = ${erasing.subject}`;
  erasing.failingSubject = erasing.subject;
  await erasing.run();
  expect(erasing.failures).toEqual([new Error('cannot be listed')]);
  expect(await prisma.event.findMany({ where: { scopeId: other.environmentId } })).toMatchObject([{ subject: id }]);
  expect(await countNamed()).toBe(1);
  erasing.failingSubject = '';
  await prisma.$executeRaw`UPDATE erasure SET next_pass_at = now()`;
  await erasing.run();
  expect(await countNamed()).toBe(0);
});

test('a viewer with many events becomes anonymous in parts, and what is done stays done', async () => {
  await insertEvents(5_000);
  await erasing.erase();
  const before: number[] = [];
  let now = 0;
  // Each look at the clock takes three seconds, so a turn ends after two parts.
  erasing.monotonicNow = () => {
    now += 3_000;
    return now;
  };
  const redisNow = async () => {
    before.push(await countNamed());
    return new Date();
  };
  await erasing.run(redisNow);
  const parts = before.filter((count, index) => count !== before[index - 1]);
  expect(parts.length).toBeGreaterThan(2);
  expect([parts[0], parts.at(-1)]).toEqual([5_000, 0]);
});

test('the last pass is not over before nothing names the viewer', async () => {
  await erasing.erase();
  await erasing.run();
  await insertEvents(5_000);
  await erasing.prisma.$executeRaw`UPDATE erasure SET next_pass_at = now(), last_pass_at = now()`;
  let now = 0;
  erasing.monotonicNow = () => {
    now += 3_000;
    return now;
  };
  await erasing.run();
  expect(await countNamed()).toBe(0);
  expect(await erasing.prisma.erasure.count()).toBe(0);
});
