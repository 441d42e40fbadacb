import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { runOnDatabase } from '@multi-drm/test-kit';
import { percentile } from '@multi-drm/test-kit/load/percentile';
import { cpuMicroseconds } from '@multi-drm/test-kit/load/process-figures';
import { withTestServers } from '@multi-drm/test-kit/servers/stand-alone-servers';
import { Stage } from '@multi-drm/test-kit/stage/stage';
import { fillDays, fillMinute } from './fill-usage';

const idleSeconds = 10;
const rounds = 5;
const requestsOfPage = 20;

/** The process of PostgreSQL that starts those of the connections. */
async function findPostmaster(databaseUrl: string): Promise<number> {
  const [row] = await runOnDatabase<{ pid: number }>(
    databaseUrl,
    `SELECT pid FROM pg_stat_activity WHERE backend_type = 'checkpointer'`,
  );
  return Number(statOf(row?.pid ?? 0)[parentField]);
}

/** Fields of /proc/pid/stat (proc(5)) without the first two: the parent, and the ticks of processes that it had started and that have ended. */
const [parentField, endedUserField, endedSystemField] = [4 - 3, 16 - 3, 17 - 3];

const ticksPerSecond = 100;

/** The name, in parentheses, may contain spaces. The fields after it begin with the third. */
function statOf(pid: number): string[] {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
}

/** Seconds of processor time that all connections have used, those that are closed included. */
function processorSeconds(postmaster: number): number {
  const stat = statOf(postmaster);
  let seconds = (Number(stat[endedUserField]) + Number(stat[endedSystemField])) / ticksPerSecond;
  for (const name of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))) {
    try {
      if (statOf(Number(name))[parentField] === String(postmaster)) seconds += cpuMicroseconds(Number(name)) / 1e6;
    } catch {
      // It has ended meanwhile.
    }
  }
  return seconds;
}

/** Once a second, because each time takes a connection. */
async function isRecomputed(databaseUrl: string): Promise<boolean> {
  await delay(1_000);
  return (await runOnDatabase(databaseUrl, 'SELECT 1 FROM usage_dirty_minute LIMIT 1')).length === 0;
}

/** Has a minute recomputed as if one of its events had just been stored. Resolves to the seconds of processor time and of waiting. */
async function recompute({ databaseUrl, customer }: Stage, minute: string, postmaster: number) {
  const [since, before] = [performance.now(), processorSeconds(postmaster)];
  const note = 'INSERT INTO usage_dirty_minute (environment_id, minute) VALUES ($1::uuid, $2::timestamptz)';
  await runOnDatabase(databaseUrl, note, [customer.siteId, minute]);
  while (!(await isRecomputed(databaseUrl)));
  return { seconds: (performance.now() - since) / 1_000, processor: processorSeconds(postmaster) - before };
}

async function measureRecomputing(stage: Stage, events: number): Promise<void> {
  const { databaseUrl, customer } = stage;
  const minute = await fillMinute(databaseUrl, customer.siteId, events);
  const postmaster = await findPostmaster(databaseUrl);
  await recompute(stage, minute, postmaster); // warms up
  const [since, before] = [performance.now(), processorSeconds(postmaster)];
  for (let second = 0; second < idleSeconds; second += 1) await isRecomputed(databaseUrl);
  const idle = (processorSeconds(postmaster) - before) / ((performance.now() - since) / 1_000);
  const used: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const { seconds, processor } = await recompute(stage, minute, postmaster);
    used.push(processor - idle * seconds);
  }
  const [median, most] = [percentile(used, 0.5), Math.max(...used)].map((each) => each.toFixed(2));
  console.log(
    `recomputing a minute of ${events} events: ${median} s of processor time of PostgreSQL, at most ${most} s`,
  );
}

async function measureReading({ databaseUrl, customer }: Stage): Promise<void> {
  await fillDays(databaseUrl, customer.siteId);
  const day = (distance: number) => new Date(Date.now() - distance * 86_400_000).toISOString().slice(0, 10);
  const usage = `/environments/${customer.siteId}/usage`;
  const pages = {
    'a year by month': `${usage}?interval=month&from=${day(365)}T00:00:00Z&to=${day(0)}T00:00:00Z`,
    'a month by day, the hundred largest contents': `${usage}?interval=day&groupBy=contentId&from=${day(31)}T00:00:00Z&to=${day(0)}T00:00:00Z`,
  };
  for (const [name, path] of Object.entries(pages)) {
    const milliseconds: number[] = [];
    for (let request = 0; request < requestsOfPage; request += 1) {
      const since = performance.now();
      await customer.manage('GET', path);
      milliseconds.push(performance.now() - since);
    }
    const [median, slowest] = [percentile(milliseconds, 0.5), Math.max(...milliseconds)].map((each) => each.toFixed(0));
    console.log(`${name}: ${median} ms, at most ${slowest} ms`);
  }
}

/**
 * `npm run bench -- usage [events]`: the processor time that PostgreSQL takes to recompute a minute of 120,000 events, and how long it takes
 * to read a year by month, and a month by day for the hundred largest of 1,000 contents.
 */
export async function measureUsage([events = '120000']: string[]): Promise<void> {
  await withTestServers(async () => {
    const environment = { ORGANIZATION_REQUESTS_PER_MINUTE: '1000000' };
    const stage = await Stage.start({ withoutLink: true, planId: 'enterprise', controlPlane: { environment } });
    try {
      await measureRecomputing(stage, Number(events));
      await measureReading(stage);
    } finally {
      await stage.close();
    }
  });
}
