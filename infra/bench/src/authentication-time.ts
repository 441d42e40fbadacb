/**
 * Compares, interleaved in one run, how long playback takes to refuse an unknown API client and one with a wrong secret: a difference
 * would reveal which clients exist. Runs against a playback service that is already running, such as that of `npm start`, with
 * UNAUTHENTICATED_REQUESTS_PER_MINUTE=10000000, because refusals are limited:
 *
 *   PLAYBACK_URL=… ENVIRONMENT_ID=… CLIENT_ID=… pnpm --filter @multi-drm/bench run authentication-time
 */

const rounds = 1_000;
const {
  PLAYBACK_URL: baseUrl = 'http://127.0.0.1:8081',
  ENVIRONMENT_ID: environmentId,
  CLIENT_ID: clientId,
} = process.env;

/** Measures the milliseconds until an API client is refused. */
async function refusalOf(id: string, secret: string): Promise<number> {
  const since = performance.now();
  const answer = await fetch(`${baseUrl}/api/v1/playback/environments/${environmentId}/sessions`, {
    headers: { 'X-SERVICE-Client-Id': id, 'X-SERVICE-Client-Secret': secret },
  });
  await answer.arrayBuffer();
  if (answer.status !== 401) throw new Error(`got ${answer.status} instead of 401`);
  return performance.now() - since;
}

function quantile(values: number[], share: number): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length * share)] ?? Number.NaN;
}

async function main(): Promise<void> {
  if (environmentId === undefined || clientId === undefined)
    throw new Error('ENVIRONMENT_ID and CLIENT_ID are required');
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
      const milliseconds = await refusalOf(id, given);
      if (round >= rounds / 10) times.get(name)?.push(milliseconds); // the first rounds warm up
    }
  }
  const base = quantile(times.get('unknown id') ?? [], 0.5);
  for (const [name, values] of times) {
    const median = quantile(values, 0.5);
    const [low, high] = [quantile(values, 0.25), quantile(values, 0.75)];
    const spread = `quartiles ${low.toFixed(3)} and ${high.toFixed(3)} ms`;
    console.log(`${name.padEnd(20)} median ${median.toFixed(3)} ms  ${(median / base).toFixed(3)} ×  ${spread}`);
  }
}

main().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
