import type { OrganizationUsage, RestoreResult, SlotStore } from '@multi-drm/slots';
import type { Catalog, RereadingCatalog } from '../catalog/catalog';
import type { LicenseToken } from '../tokens/license-token';
import { type CheckedReservation, reserveInGeneration } from './reserve-in-generation';
import { packGrant } from './session-grant';
import { readTokenRecord, type TokenRecord } from './token-record';

/** The parts of the service that restoring a session uses. */
export interface RestoreParts {
  catalog: RereadingCatalog;
  slots: Pick<SlotStore, 'restore' | 'undo'>;
  usage: OrganizationUsage;
}

/** `refused`: the environment or its organization no longer exists. */
type Reserved = CheckedReservation<RestoreResult | 'refused'>;

/**
 * Restores a session that Redis lost in a failover or when it was emptied: reserves its slot again with the values of its license token.
 * Returns whether Redis may know the session now. Throws the problem `service_unavailable` if the published documents are not complete:
 * nobody knows whether the viewer is blocked.
 */
export async function restoreSession(parts: RestoreParts, token: LicenseToken): Promise<boolean> {
  const record = readTokenRecord(token);
  if (record === null) return false;
  const {
    result: outcome,
    invalidatedBy,
    buckets,
  } = await parts.catalog.rereadBeforeRefusal(
    (current) => tryToReserve(parts, current, token, record),
    // The other outcomes do not depend on cached documents.
    (reserved) => reserved.result === 'organization_full',
  );
  if (invalidatedBy !== undefined) {
    if (outcome === 'reserved') await parts.slots.undo({ ...token, buckets });
    throw invalidatedBy;
  }
  return outcome === 'reserved' || outcome === 'known';
}

/** Can be repeated after a refusal, because nothing is reserved then. */
async function tryToReserve(
  { catalog, slots, usage }: RestoreParts,
  current: Catalog,
  token: LicenseToken,
  { startedAt, expiresAt, grant, details }: TokenRecord,
): Promise<Reserved> {
  const { environmentId, subject, sessionId, reservationId, policy } = token;
  const generation = await current.generation();
  const { buckets } = generation;
  const environment = await current.environment(environmentId);
  const organization = environment && (await current.organization(environment.organizationId));
  if (organization === null) return { result: 'refused', invalidatedBy: undefined, buckets };
  const organizationIsFull = await usage.isFullFor(organization, token);
  const reservation = {
    buckets,
    environmentId,
    subject,
    sessionId,
    reservationId,
    startedAt,
    expiresAt,
    lifetimeMilliseconds: grant.times.lifetimeMilliseconds,
    limit: policy.maximumConcurrentStreams,
    organizationIsFull,
    details,
    grant: packGrant(grant),
  };
  // Checked before, too: until an undo, other calls would find the session, and take it for one whose viewer may play.
  await catalog.requireGeneration(generation);
  const checked = await reserveInGeneration(catalog, generation, () => slots.restore(reservation));
  if (checked.result === 'reserved') usage.countOne(organization);
  return checked;
}
