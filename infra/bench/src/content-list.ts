import { percentile } from '@multi-drm/test-kit/load/percentile';
import { withTestServers } from '@multi-drm/test-kit/servers/stand-alone-servers';
import { Stage } from '@multi-drm/test-kit/stage/stage';
import { fillRecords } from './growth/fill-records';

const rounds = 200;

async function compare({ customer, databaseUrl }: Stage): Promise<void> {
  const { projectId } = customer;
  const [small = '', large = ''] = (
    await customer.manage<{ environmentId: string }[]>('GET', `/projects/${projectId}/environments`)
  ).map(({ environmentId }) => environmentId);
  await fillRecords(databaseUrl, { projectId, environmentId: small }, { from: 1, to: 100 });
  await fillRecords(databaseUrl, { projectId, environmentId: large }, { from: 101, to: 10_100 });

  const list = (environmentId: string, offset: number) =>
    `/environments/${environmentId}/content?limit=50&offset=${offset}`;
  const pages = {
    'of 100, first page': list(small, 0),
    'of 10,000, first page': list(large, 0),
    'of 10,000, last page': list(large, 9_950),
  };
  const times = new Map(Object.keys(pages).map((name) => [name, [] as number[]]));
  for (let round = 0; round < rounds; round += 1) {
    for (const [name, path] of Object.entries(pages)) {
      const since = performance.now();
      await customer.manage('GET', path);
      times.get(name)?.push(performance.now() - since);
    }
  }
  const base = percentile(times.get('of 100, first page') ?? [], 0.5);
  for (const [name, values] of times) {
    const median = percentile(values, 0.5);
    console.log(`${name.padEnd(24)} ${median.toFixed(2)} ms  ${(median / base).toFixed(2)} ×`);
  }
}

/**
 * Compares, interleaved in one run, how long the content list takes in an environment with 100 assets and in one with 10,000. Starts the
 * services itself:
 *
 *   pnpm --filter @multi-drm/bench run content-list
 */
export async function main(): Promise<number> {
  return withTestServers(async () => {
    const environment = { ORGANIZATION_REQUESTS_PER_MINUTE: '1000000' };
    const stage = await Stage.start({ withoutLink: true, controlPlane: { environment } });
    try {
      await compare(stage);
      return 0;
    } finally {
      await stage.close();
    }
  });
}
