import type { PlaybackSchemas } from '@multi-drm/contracts';
import type { RereadingCatalog } from '../../catalog/catalog';
import { selectManifests } from '../../policy/select-manifests';
import { loadActiveSession } from '../../sessions/load-active-session';
import { parseGrant } from '../../sessions/session-grant';
import { decisionRefused, sessionRefused } from '../../sessions/session-refusals';
import type { SessionReference, SlotStore } from '../../slots/slot-store';
import { type LicenseToken, requireCurrent } from '../../tokens/license-token';
import type { SessionIssuer } from './session-issuer';

interface SessionRenewerOptions {
  catalog: RereadingCatalog;
  slots: Pick<SlotStore, 'find' | 'renew'>;
  issuer: SessionIssuer;
  /** Renewals that one session may make per minute. */
  callsPerMinute: number;
}

/** Renews playback sessions. */
export class SessionRenewer {
  constructor(private readonly options: SessionRenewerOptions) {}

  /**
   * Extends the session's `expiresAt` and signs a fresh token under the session's grant, if viewer, environment and content are
   * still allowed. `token` is the player's, checked after the session's state; null for a backend.
   */
  async renew(
    session: SessionReference,
    token: LicenseToken | null,
  ): Promise<PlaybackSchemas['PlaybackSessionResponse']> {
    const { catalog, slots, issuer, callsPerMinute } = this.options;
    const found = await slots.find(session);
    if (found.state !== 'reserved') throw sessionRefused({ outcome: found.state });
    if (token !== null) {
      if (token.reservationId !== found.reservationId) throw sessionRefused({ outcome: 'other_reservation' });
      requireCurrent(token, found.serverTime);
    }

    const grant = parseGrant(found.grant);
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
    return issuer.issue({ sessionId, subject, environment, content, manifests, grant }, result);
  }
}
