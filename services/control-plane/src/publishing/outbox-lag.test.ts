import { randomUUID } from 'node:crypto';
import { Metrics } from '@multi-drm/service-kit';
import { type LogEntry, recordingLogger } from '../testing/recording-logger';
import { openDatabase } from '../testing/test-database';
import { addOutboxEntry } from './outbox-entries';
import { addOutboxGauges } from './outbox-lag';

test('the publishing lag is exported as the number of outbox entries and the age of the oldest', async () => {
  const { prisma } = await openDatabase();
  const log: LogEntry[] = [];
  const metrics = new Metrics(recordingLogger(log));
  addOutboxGauges(metrics, prisma);
  expect(await metrics.text()).toMatch(/^multi_drm_outbox_entries 0$/m);
  expect(await metrics.text()).toMatch(/^multi_drm_outbox_oldest_entry_age_seconds 0$/m);

  await addOutboxEntry(prisma, 'content', randomUUID());
  await addOutboxEntry(prisma, 'content', randomUUID());
  const [oldest] = await prisma.outboxEntry.findMany({ orderBy: { id: 'asc' } });
  const createdAt = new Date(Date.now() - 90_000);
  await prisma.outboxEntry.update({ where: { id: oldest?.id ?? 0n }, data: { createdAt } });
  const text = await metrics.text();
  expect(text).toMatch(/^multi_drm_outbox_entries 2$/m);
  const age = Number(/^multi_drm_outbox_oldest_entry_age_seconds (.*)$/m.exec(text)?.[1]);
  expect(age).toBeGreaterThan(89);
  expect(age).toBeLessThan(120);
  expect(log).toEqual([]);
});
