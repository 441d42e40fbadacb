import { hash } from 'node:crypto';
import { runOnDatabase } from '@multi-drm/test-kit';

/** Where records are added. */
export interface Tenant {
  projectId: string;
  environmentId: string;
}

/** Names that only the given numbers make unique, so that records of several fills do not collide. */
interface Numbers {
  from: number;
  to: number;
}

/** The credentials of the API client with this number. */
export function filledApiClient(projectId: string, number: number): { clientId: string; accessKey: string } {
  return { clientId: `ac_${hash('md5', projectId + number)}`, accessKey: `key-${number}` };
}

/**
 * Adds published contents, end users with a stream limit of their own (those that playback knows) and API clients, one of each for each
 * number. Writes to the tables directly; nothing is published.
 */
export async function fillRecords(
  databaseUrl: string,
  { projectId, environmentId }: Tenant,
  numbers: Numbers,
): Promise<void> {
  const [from, to] = [String(numbers.from), String(numbers.to)];
  await runOnDatabase(
    databaseUrl,
    `INSERT INTO content_asset (id, environment_id, content_id, kind, title, manifests, keys, audio_languages, subtitle_languages,
       status, created_at, updated_at)
     SELECT gen_random_uuid(), $1, 'content-' || n, (ARRAY['vod', 'live'])[1 + n % 2]::content_kind, 'Title ' || n,
       '[{"type": "dash", "url": "https://cdn.example.com/a.mpd", "drmSystems": ["widevine"]}]',
       '[{"keyId": "10000000-0000-4000-8000-000000000042", "trackTypes": ["AUDIO", "SD", "HD"]}]', '{}', '{}',
       'published', now() + n * interval '1 ms', now()
     FROM generate_series($2::int, $3::int) n`,
    [environmentId, from, to],
  );
  await runOnDatabase(
    databaseUrl,
    `INSERT INTO end_user (id, project_id, subject, display_name, email, status, maximum_concurrent_streams, created_at)
     SELECT gen_random_uuid(), $1, 'user-' || n, 'Name ' || n, 'user-' || n || '@example.com',
       (ARRAY['active', 'blocked'])[1 + n % 2]::end_user_status, 1000, now() + n * interval '1 ms'
     FROM generate_series($2::int, $3::int) n`,
    [projectId, from, to],
  );
  await runOnDatabase(
    databaseUrl,
    `INSERT INTO api_client (id, project_id, client_id, name, access_key_hash, permissions, all_environments, environment_ids, created_at)
     SELECT gen_random_uuid(), $1::uuid, 'ac_' || md5($1::text || n), 'Client ' || n,
       encode(sha256(convert_to('key-' || n, 'UTF8')), 'hex'), '{license-tokens:create}',
       true, '{}', now() + n * interval '1 ms'
     FROM generate_series($2::int, $3::int) n`,
    [projectId, from, to],
  );
  await runOnDatabase(databaseUrl, 'VACUUM ANALYZE content_asset, end_user, api_client');
}
