import type { PlaybackSchemas } from '@multi-drm/contracts';
import type { RereadingCatalog } from '../../catalog/catalog';
import { selectManifests } from '../../policy/select-manifests';
import { loadActiveSession } from '../../sessions/load-active-session';
import { readGrant } from '../../sessions/session-grant';
import { decisionRefused, sessionRefused } from '../../sessions/session-refusals';
import type { SessionReference, SlotStore } from '../../slots/slot-store';
import { type LicenseToken, requireCurrent } from '../../tokens/license-token';
import { type IssueParts, issueSession } from './issue-session';

/** The parts of the service that renewals use. */
export interface RenewalParts extends IssueParts {
  catalog: RereadingCatalog;
  slots: Pick<SlotStore, 'find' | 'renew'>;
  /** Renewals that one session may make per minute. */
  callsPerMinute: number;
}

/**
 * Extends the session's `expiresAt` and signs a fresh token under the session's grant, if viewer, environment and content are still
 * allowed. `token` is the player's, checked after the session's state; null for a backend.
 */
export async function renewPlaybackSession(
  parts: RenewalParts,
  session: SessionReference,
  token: LicenseToken | null,
): Promise<PlaybackSchemas['PlaybackSessionResponse']> {
  const { catalog, slots, callsPerMinute } = parts;
  const found = await slots.find(session);
  if (found.state !== 'reserved') throw sessionRefused({ outcome: found.state });
  if (token !== null) {
    if (token.reservationId !== found.reservationId) throw sessionRefused({ outcome: 'other_reservation' });
    requireCurrent(token, found.serverTime);
  }

  const grant = readGrant(found.grant, found.details);
  const { environment, content, manifests } = await catalog.rereadBeforeRefusal(async (present) => {
    const about = { environmentId: session.environmentId, ...grant };
    const active = await loadActiveSession(present, about, found.serverTime);
    if (active.outcome === 'refused') throw decisionRefused(active);
    const manifests = selectManifests(active.content.manifests, {
      drmSystem: grant.drmSystem,
      platformCapabilities: { manifestTypes: grant.manifestTypes },
    });
    if (manifests.outcome === 'refused') throw decisionRefused(manifests);
    return { ...active, manifests: manifests.found };
  });
  const { lifetimeMilliseconds, maximumSessionMilliseconds } = grant.times;
  const result = await slots.renew({
    ...session,
    reservationId: found.reservationId,
    lifetimeMilliseconds,
    maximumSessionMilliseconds,
    callsPerMinute,
  });
  if (result.outcome !== 'renewed') throw sessionRefused(result);
  const { subject, sessionId } = session;
  return issueSession(parts, { sessionId, subject, environment, content, manifests, grant }, result);
}
