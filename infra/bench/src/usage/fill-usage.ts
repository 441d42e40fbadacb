import { runOnDatabase } from '@multi-drm/test-kit';

export const contents = 1_000;

/** The id of an event (UUID version 7) from the time `at`, in microseconds, and a number. */
const eventId = `(lpad(to_hex(at / 1000), 12, '0') || '7' || lpad(to_hex(at % 1000 * 4096 / 1000), 3, '0')
  || '8' || substr(md5(number || kind), 1, 15))::uuid`;

/**
 * Stores as many events, half of them starts, half ends, of as many sessions in one minute, as the control plane does. Writes to the table
 * directly. Resolves to when the minute begins.
 */
export async function fillMinute(databaseUrl: string, environmentId: string, events: number): Promise<string> {
  const [row] = await runOnDatabase<{ minute: string }>(
    databaseUrl,
    `SELECT to_char(date_trunc('minute', now() - interval '2 minutes') AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') AS minute`,
  );
  const minute = row?.minute ?? '';
  await runOnDatabase(
    databaseUrl,
    `INSERT INTO event (time, id, type, scope_id, subject, session_id, reservation_id, content_id, data)
     SELECT to_timestamp(at / 1000000.0), ${eventId}, kind, $1::uuid, 'user-' || number % 40000, 'session-' || number,
       md5(number::text)::uuid, 'content-' || number % ${contents},
       jsonb_build_object('contentType', 'vod', 'drmSystem', (ARRAY['widevine', 'fairplay', 'playready'])[1 + number % 3],
         'applicationId', 'app-' || number % 20, 'clientPlatform', 'platform-' || number % 7, 'attemptId', null,
         'reporting', jsonb_build_object('campaign', repeat('x', 100)), 'startedAt', $2::text, 'expiresAt', $2::text)
       || CASE kind WHEN 'session.started' THEN '{"activeSessions": 1, "replacesSessionId": null, "recovered": false}'::jsonb
         ELSE '{"reason": "released", "endedAt": null, "durationSeconds": 20, "licenseRequests": 1}' END
     FROM generate_series(0, $3::int / 2 - 1) AS number CROSS JOIN unnest(ARRAY['session.started', 'session.ended']) AS kind
     CROSS JOIN LATERAL (SELECT (extract(epoch FROM $2::timestamptz) * 1000000)::bigint
       + number::bigint * 60000000 / ($3::int / 2) + CASE kind WHEN 'session.ended' THEN 900 ELSE 0 END AS at) AS times`,
    [environmentId, minute, String(events)],
  );
  await runOnDatabase(databaseUrl, 'VACUUM ANALYZE event');
  return minute;
}

/** Stores a year of days in total, and a month of days of each content. */
export async function fillDays(databaseUrl: string, environmentId: string): Promise<void> {
  await runOnDatabase(
    databaseUrl,
    `INSERT INTO usage_day (scope_id, dimension, time, value, level, started, ended, peak, area, counts, viewers)
     SELECT $1::uuid, dimension, date_trunc('day', now(), 'UTC') - day * interval '1 day', value, 5, 1000, 1000, 20, 86400000000,
       '{"ended.released": 700, "ended.expired": 300, "issued.axinom": 900, "refused.concurrent_stream_limit_reached": 12}', 800
     FROM (
       SELECT '' AS dimension, '' AS value, day FROM generate_series(1, 366) AS day
       UNION ALL SELECT 'contentId', 'content-' || content, day FROM generate_series(1, 31) AS day, generate_series(1, ${contents}) AS content
     ) AS row ON CONFLICT DO NOTHING`,
    [environmentId],
  );
  await runOnDatabase(databaseUrl, 'VACUUM ANALYZE usage_day');
}
