import { percentile } from '@multi-drm/test-kit/load/percentile';
import { withTestServers } from '@multi-drm/test-kit/servers/stand-alone-servers';
import { Stage } from '@multi-drm/test-kit/stage/stage';

/**
 * Compares, interleaved in one run of 10,000 calls, how long playback takes to refuse an unknown API client and one with a wrong secret: a
 * difference would reveal which clients exist. Starts the services itself:
 *
 *   pnpm --filter @multi-drm/bench run authentication-time
 */

const rounds = 2_800;

/** Measures the milliseconds until an API client is refused. */
async function refusalOf(url: string, id: string, secret: string): Promise<number> {
  const since = performance.now();
  const answer = await fetch(url, { headers: { 'X-SERVICE-Client-Id': id, 'X-SERVICE-Client-Secret': secret } });
  await answer.arrayBuffer();
  if (answer.status !== 401) throw new Error(`got ${answer.status} instead of 401`);
  return performance.now() - since;
}

async function compare({ customer, playbackUrls }: Stage): Promise<void> {
  const url = `${playbackUrls[0]}/api/v1/playback/environments/${customer.siteId}/sessions`;
  const { clientId } = customer.apiClient;
  const secret = `ak_${'A'.repeat(43)}`;
  // As long as the known one, and different only at the end.
  const unknown = `${clientId.slice(0, -4)}AAAA`;
  const kinds: [name: string, id: string, secret: string][] = [
    ['unknown id', unknown, secret],
    ['wrong secret', clientId, secret],
    ['wrong secret, short', clientId, 'ak_x'],
    ['unknown id again', unknown, secret],
  ];
  const times = new Map(kinds.map(([name]) => [name, [] as number[]]));
  for (let round = 0; round < rounds; round += 1) {
    for (const [name, id, given] of kinds) {
      const milliseconds = await refusalOf(url, id, given);
      if (round >= rounds / 10) times.get(name)?.push(milliseconds); // the first rounds warm up
    }
  }
  const base = percentile(times.get('unknown id') ?? [], 0.5);
  for (const [name, values] of times) {
    const median = percentile(values, 0.5);
    const [low, high] = [percentile(values, 0.25), percentile(values, 0.75)];
    const spread = `quartiles ${low.toFixed(3)} and ${high.toFixed(3)} ms`;
    console.log(`${name.padEnd(20)} median ${median.toFixed(3)} ms  ${(median / base).toFixed(3)} ×  ${spread}`);
  }
}

export async function main(): Promise<number> {
  return withTestServers(async () => {
    // Refusals are limited.
    const unlimited = '10000000';
    const environment = {
      UNAUTHENTICATED_REQUESTS_PER_MINUTE: unlimited,
      REFUSED_REQUESTS_PER_CREDENTIAL_PER_MINUTE: unlimited,
    };
    const stage = await Stage.start({ withoutLink: true, playback: () => ({ environment }) });
    try {
      await compare(stage);
      return 0;
    } finally {
      await stage.close();
    }
  });
}
