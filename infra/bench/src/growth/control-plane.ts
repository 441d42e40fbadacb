import { setTimeout as delay } from 'node:timers/promises';
import { runOnDatabase } from '@multi-drm/test-kit';
import { percentile } from '@multi-drm/test-kit/load/percentile';
import { withTestServers } from '@multi-drm/test-kit/servers/stand-alone-servers';
import type { Customer } from '@multi-drm/test-kit/services/customer';
import { Stage } from '@multi-drm/test-kit/stage/stage';
import { Redis } from 'ioredis';
import { fillRecords } from './fill-records';
import { publishRecords } from './publish-records';

const few = 1_000;
const requestsOfList = 40;

/** The pages that are measured, of lists with this many records. */
function pagesOf({ siteId, projectId }: Customer, records: number): Record<string, string> {
  const contents = `/environments/${siteId}/content?limit=50`;
  const users = `/projects/${projectId}/users?limit=50`;
  const middle = `offset=${Math.floor(records / 2)}`;
  return {
    'contents, first page': contents,
    'contents, in the middle': `${contents}&${middle}`,
    'contents, last page': `${contents}&offset=${records - 50}`,
    'contents, by title': `${contents}&sort=title`,
    'contents, one kind': `${contents}&kind=live`,
    'contents, one kind, in the middle': `${contents}&kind=live&offset=${Math.floor(records / 4)}`,
    'contents, one id': `${contents}&contentId=content-500`,
    'contents, searched, few': `${contents}&search=content-99`,
    'contents, searched, all': `${contents}&search=content`,
    'end users, first page': users,
    'end users, in the middle': `${users}&${middle}`,
    'end users, blocked': `${users}&status=blocked`,
    'end users, searched, few': `${users}&search=user-99`,
    'end users, searched, all': `${users}&search=user`,
    'API clients (not paged)': `/projects/${projectId}/api-clients`,
  };
}

/** Milliseconds of each page, medians; of those that are refused, the message. */
async function latencies(customer: Customer, records: number): Promise<Map<string, number | string>> {
  const measured = new Map<string, number | string>();
  for (const [name, path] of Object.entries(pagesOf(customer, records))) {
    const milliseconds: number[] = [];
    try {
      for (let request = 0; request < requestsOfList; request += 1) {
        const since = performance.now();
        await customer.manage('GET', path);
        milliseconds.push(performance.now() - since);
        if (milliseconds[0] !== undefined && milliseconds[0] > 1_000 && request === 2) break;
      }
      measured.set(name, percentile(milliseconds, 0.5));
    } catch (error) {
      measured.set(name, String(error).slice(-120));
    }
  }
  return measured;
}

async function measurePublishing(stage: Stage): Promise<void> {
  const redis = new Redis(stage.redis.url);
  const report = (name: string, documents: number, seconds: number) =>
    console.log(
      [
        name.padEnd(34),
        String(documents).padStart(9),
        seconds.toFixed(1).padStart(9),
        (documents / seconds).toFixed(0).padStart(9),
      ].join(' '),
    );
  console.log(`\n${'publishing'.padEnd(34)}   records   seconds     per s`);
  for (const name of ['for the first time', 'everything again']) {
    const { documents, seconds } = await publishRecords(stage.databaseUrl);
    report(name, documents, seconds);
  }
  const before = await redis.dbsize();
  const since = performance.now();
  await redis.flushall();
  // Some keys are not documents, such as those of rate limits.
  while ((await redis.dbsize()) < before - 20) await delay(100);
  const counted = 'SELECT count(*)::int AS count FROM published_document';
  const [published] = await runOnDatabase<{ count: number }>(stage.databaseUrl, counted);
  report('into an emptied Redis', published?.count ?? 0, (performance.now() - since) / 1_000);
  redis.disconnect();
}

/**
 * `npm run bench -- growth-control-plane [records]`: the latency of list pages in a project with 1,000 contents, end users and API clients
 * each, and with 100,000; then how fast their documents are published.
 */
export async function measureControlPlaneGrowth([records = '100000']: string[]): Promise<void> {
  const many = Number(records);
  await withTestServers(async () => {
    const environment = { ORGANIZATION_REQUESTS_PER_MINUTE: '1000000' };
    const stage = await Stage.start({ withoutLink: true, planId: 'enterprise', controlPlane: { environment } });
    const { customer, databaseUrl } = stage;
    const tenant = { projectId: customer.projectId, environmentId: customer.siteId };
    try {
      await fillRecords(databaseUrl, tenant, { from: 1, to: few });
      await latencies(customer, few); // warms up
      const fewLatencies = await latencies(customer, few);
      await fillRecords(databaseUrl, tenant, { from: few + 1, to: many });
      const manyLatencies = await latencies(customer, many);
      console.log(`${'list, ms'.padEnd(34)} ${few} records ${many} records`);
      for (const [name, small] of fewLatencies) {
        const large = manyLatencies.get(name) ?? Number.NaN;
        const text = (value: number | string) => (typeof value === 'number' ? value.toFixed(1) : value);
        console.log(`${name.padEnd(34)} ${text(small).padStart(12)} ${text(large).padStart(14)}`);
      }
      await measurePublishing(stage);
    } finally {
      await stage.close();
    }
  });
}
