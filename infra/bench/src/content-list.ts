import { percentile } from '@multi-drm/testing/load/percentile';
import { Client } from 'pg';

/**
 * Compares, interleaved in one run, how long the content list takes in an environment with 100 assets and in one with 10,000. Runs
 * against a control plane that is already running (DATABASE_URL, CONTROL_PLANE_URL) and registers its own company.
 *
 *   pnpm --filter @multi-drm/bench run content-list
 */

const rounds = 200;
const { DATABASE_URL: databaseUrl, CONTROL_PLANE_URL: baseUrl = 'http://127.0.0.1:8080' } = process.env;

async function call<Answer>(path: string, key?: string, body?: object): Promise<Answer> {
  const answer = await fetch(`${baseUrl}${path}`, {
    ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
    headers: { 'Content-Type': 'application/json', ...(key === undefined ? {} : { Authorization: `Bearer ${key}` }) },
  });
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
  return (await answer.json()) as Answer;
}

async function fill(client: Client, environmentId: string, count: number): Promise<void> {
  await client.query(
    `INSERT INTO content_asset (id, environment_id, content_id, kind, title, audio_languages, subtitle_languages, created_at, updated_at)
     SELECT gen_random_uuid(), $1, 'content-' || n, 'vod', 'Title', '{}', '{}', now() + n * interval '1 ms', now()
     FROM generate_series(1, $2::int) n`,
    [environmentId, count],
  );
}

async function main(): Promise<void> {
  if (databaseUrl === undefined) throw new Error('DATABASE_URL is required');
  const unique = `bench-${Date.now()}`;
  const { organizationId, managementKey } = await call<{ organizationId: string; managementKey: { key: string } }>(
    '/api/v1/organizations/registrations',
    undefined,
    {
      companyName: unique,
      country: 'DE',
      planId: 'business',
      administrator: { name: 'Bench', email: `${unique}@example.com` },
      agreement: { version: '2026-01', accepted: true },
    },
  );
  const { key } = managementKey;
  const { environments } = await call<{ environments: { environmentId: string }[] }>(
    `/api/v1/management/organizations/${organizationId}/projects`,
    key,
    { name: 'Bench' },
  );
  const [small = '', large = ''] = environments.map(({ environmentId }) => environmentId);
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  await client.query("SET TIME ZONE 'UTC'");
  await fill(client, small, 100);
  await fill(client, large, 10_000);
  await client.query('ANALYZE content_asset');
  await client.end();

  const list = (environmentId: string, offset: number) =>
    `/api/v1/management/environments/${environmentId}/content?limit=50&offset=${offset}`;
  const pages = {
    'of 100, first page': list(small, 0),
    'of 10,000, first page': list(large, 0),
    'of 10,000, last page': list(large, 9_950),
  };
  const times = new Map(Object.keys(pages).map((name) => [name, [] as number[]]));
  for (let round = 0; round < rounds; round += 1) {
    for (const [name, path] of Object.entries(pages)) {
      const since = performance.now();
      await call(path, key);
      times.get(name)?.push(performance.now() - since);
    }
  }
  const base = percentile(times.get('of 100, first page') ?? [], 0.5);
  for (const [name, values] of times) {
    console.log(
      `${name.padEnd(24)} ${percentile(values, 0.5).toFixed(2)} ms  ${(percentile(values, 0.5) / base).toFixed(2)} ×`,
    );
  }
}

main().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
