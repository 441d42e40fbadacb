import { setTimeout as sleep } from 'node:timers/promises';
import { runOnDatabase } from '@multi-drm/test-kit';
import { send } from '@multi-drm/test-kit/load/calls';
import { credentialsOf } from '@multi-drm/test-kit/services/customer';
import type { Stage } from '@multi-drm/test-kit/stage/stage';
import type { StageRedis } from '@multi-drm/test-kit/stage/stage-redis';
import { heldSlots } from '../slot-audit';

/** How long looking up sessions may take, in milliseconds. */
const lookUpMilliseconds = 60_000;

/** Releases every session of the stage's customer that holds a slot, as a backend. */
export async function releaseAll({ redis, customer, playbackUrls }: Stage<StageRedis>): Promise<void> {
  const headers = credentialsOf(await customer.createApiClient(['sessions:release']));
  const baseUrl = playbackUrls[0] ?? '';
  for (const [sessionId, { subject }] of await heldSlots(redis.connect(), customer.siteId)) {
    const path = `/api/v1/playback/environments/${customer.siteId}/sessions/${sessionId}/release`;
    const { status, code } = await send({ operation: 'release', baseUrl, path, headers, body: { subject } });
    if (status !== 204) throw new Error(`a release was answered ${status} ${code}`);
  }
}

/**
 * Has the control plane look up the open sessions at once, and not half an hour after their starts; and has those that Redis does not
 * have be lost at once, and not after their lifetime. Resolves to how many are still open when no session is left, or when it takes too
 * long.
 */
export async function lookUpOpenSessions(databaseUrl: string, environmentId: string): Promise<number> {
  for (const deadline = Date.now() + lookUpMilliseconds; ; await sleep(500)) {
    const open = await runOnDatabase(
      databaseUrl,
      `UPDATE session SET look_up_at = now(), expires_at = CASE WHEN missing_since IS NULL THEN expires_at ELSE started_at END
       WHERE environment_id = $1 AND ended_at IS NULL RETURNING reservation_id`,
      [environmentId],
    );
    if (open.length === 0 || Date.now() > deadline) return open.length;
  }
}
