import type { OrganizationUsage, ReserveAnewResult, SlotStore } from '@multi-drm/slots';
import type { Catalog, RereadingCatalog } from '../catalog/catalog';
import type { LicenseToken } from '../tokens/license-token';
import { type CheckedReservation, reserveInGeneration } from './reserve-in-generation';
import { packGrant } from './session-grant';
import { readTokenRecord, type TokenRecord } from './token-record';

/** The parts of the service that reserving anew uses. */
export interface ReserveAnewParts {
  catalog: RereadingCatalog;
  slots: Pick<SlotStore, 'reserveAnew' | 'undo'>;
  usage: OrganizationUsage;
}

/** `refused`: the environment or its organization no longer exists. */
type Reserved = CheckedReservation<ReserveAnewResult | 'refused'>;

/**
 * Reserves a slot for a session that Redis does not know, because a failover or an emptied Redis has lost it, as the session's license
 * token describes it. Returns whether the session may be known now. Throws the problem `service_unavailable` if the published documents
 * are not complete: nobody knows whether the viewer is blocked.
 */
export async function reserveAnew(parts: ReserveAnewParts, token: LicenseToken): Promise<boolean> {
  const record = readTokenRecord(token);
  if (record === null) return false;
  const {
    result: outcome,
    doubt,
    buckets,
  } = await parts.catalog.rereadBeforeRefusal(
    (present) => tryToReserve(parts, present, token, record),
    // The other outcomes do not depend on cached documents.
    (reserved) => reserved.result === 'organization_full',
  );
  if (doubt !== undefined) {
    if (outcome === 'reserved') await parts.slots.undo({ ...token, buckets });
    throw doubt;
  }
  return outcome === 'reserved' || outcome === 'known';
}

/** Can be repeated after a refusal, because nothing is reserved then. */
async function tryToReserve(
  { catalog, slots, usage }: ReserveAnewParts,
  present: Catalog,
  token: LicenseToken,
  { startedAt, expiresAt, grant, details }: TokenRecord,
): Promise<Reserved> {
  const { environmentId, subject, sessionId, reservationId, policy } = token;
  const generation = await present.generation();
  const { buckets } = generation;
  const environment = await present.environment(environmentId);
  const organization = environment && (await present.organization(environment.organizationId));
  if (organization === null) return { result: 'refused', doubt: undefined, buckets };
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
  const checked = await reserveInGeneration(catalog, generation, () => slots.reserveAnew(reservation));
  if (checked.result === 'reserved') usage.countOne(organization);
  return checked;
}
