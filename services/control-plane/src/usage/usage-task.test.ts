import { runOnDatabase } from '@multi-drm/test-kit';
import { eventually } from '../testing/eventually';
import { insertTenant } from '../testing/insert-tenant';
import { type LogEntry, recordingLogger } from '../testing/recording-logger';
import { openDatabase } from '../testing/test-database';
import { UsageTask } from './usage-task';

test('a task recomputes what is noted, counts viewers, and removes what is old', async () => {
  const { prisma, url: connectionString } = await openDatabase();
  const { environmentId, organizationId } = await insertTenant(prisma);
  await prisma.usageDirtyMinute.create({ data: { environmentId, minute: new Date('2026-11-30T10:00:00Z') } });
  const closing = {
    organizationId,
    interval: 'month',
    time: new Date('2026-10-01T00:00:00Z'),
    dueAt: new Date('2026-11-01T00:01:00Z'),
  };
  await prisma.usageClosing.create({ data: closing });
  await prisma.viewerDay.create({ data: { environmentId, day: new Date('2026-01-01'), subject: 'ada' } });
  const log: LogEntry[] = [];
  const task = new UsageTask({
    connectionString,
    logger: recordingLogger(log),
    clock: async () => new Date('2026-11-30T10:05:00Z'),
    monotonicNow: () => performance.now(),
  });
  task.start();
  await eventually(async () => {
    const counts = [
      prisma.usageDirtyMinute.count(),
      prisma.usageClosing.count({ where: closing }),
      prisma.viewerDay.count(),
    ];
    expect(await Promise.all(counts)).toEqual([0, 0, 0]);
  });
  await task.stop();
  expect(log).toEqual([]);
  expect(
    await runOnDatabase(connectionString, 'SELECT 1 FROM usage_month WHERE scope_id = $1', [organizationId]),
  ).toHaveLength(1);
});
