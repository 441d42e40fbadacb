import { type PlaybackSchemas, Problem } from '@multi-drm/contracts';
import type { Catalog } from '../../catalog/catalog';
import { checkStillAllowed } from '../../policy/check-still-allowed';
import { selectManifests } from '../../policy/select-manifests';
import type { SessionReference, SlotStore } from '../../slots/slot-store';
import { type LicenseToken, requireCurrent } from '../../tokens/license-token';
import type { SessionIssuer } from './session-issuer';
import { sessionRefused } from './session-refusals';
import { parseTerms, type SessionTerms } from './session-terms';

interface SessionRenewerOptions {
  catalog: Catalog;
  slots: Pick<SlotStore, 'find' | 'renew'>;
  issuer: SessionIssuer;
  /** Renewals that one session may make in a minute. */
  callsPerMinute: number;
}

/** Renews playback sessions. */
export class SessionRenewer {
  constructor(private readonly options: SessionRenewerOptions) {}

  /**
   * Moves the session's `expiresAt` and signs a fresh token under the terms of its start, where viewer, environment and
   * content are still allowed. `token`: the player's, checked after the session's state; null for a backend.
   */
  async renew(
    session: SessionReference,
    token: LicenseToken | null,
  ): Promise<PlaybackSchemas['PlaybackSessionResponse']> {
    const { slots, issuer, callsPerMinute } = this.options;
    const found = await slots.find(session);
    if (found.state !== 'reserved') throw sessionRefused({ outcome: found.state });
    if (token !== null) {
      if (token.reservationId !== found.reservationId) throw sessionRefused({ outcome: 'other_reservation' });
      requireCurrent(token, found.serverTime);
    }

    const terms = parseTerms(found.terms);
    const { environment, content } = await this.stillAllowed(session.environmentId, terms, found.serverTime);
    const manifests = selectManifests(content.manifests, {
      drmSystem: terms.drmSystem,
      platformCapabilities: { manifestTypes: terms.manifestTypes },
    });
    const { lifetimeMilliseconds, maximumSessionMilliseconds } = terms.times;
    const result = await slots.renew({
      ...session,
      reservationId: found.reservationId,
      lifetimeMilliseconds,
      maximumSessionMilliseconds,
      callsPerMinute,
    });
    if (result.outcome !== 'renewed') throw sessionRefused(result);
    const { subject, sessionId } = session;
    return issuer.issue({ sessionId, subject, environment, content, manifests, terms }, result);
  }

  private async stillAllowed(environmentId: string, { contentId, drmSystem, policy }: SessionTerms, now: Date) {
    const { catalog } = this.options;
    const environment = await catalog.environment(environmentId);
    if (environment === null) throw new Problem('environment_not_found', 'There is no such environment.');
    const [organization, content] = await Promise.all([
      catalog.organization(environment.organizationId),
      catalog.content(environmentId, contentId),
    ]);
    const { availableFrom = null, availableUntil = null } = policy;
    const session = { organization, environment, content, drmSystem, availableFrom, availableUntil };
    return { environment, content: checkStillAllowed(session, now) };
  }
}
