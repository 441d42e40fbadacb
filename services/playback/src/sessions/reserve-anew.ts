import type { Catalog, RereadingCatalog } from '../catalog/catalog';
import type { OrganizationUsage } from '../slots/organization-usage';
import type { ReserveAnewResult, SlotStore } from '../slots/slot-store';
import type { LicenseToken } from '../tokens/license-token';
import { packGrant } from './session-grant';
import { readTokenRecord, type TokenRecord } from './token-record';

/** The parts of the service that reserving anew uses. */
export interface ReserveAnewParts {
  catalog: RereadingCatalog;
  slots: Pick<SlotStore, 'reserveAnew' | 'undo'>;
  usage: OrganizationUsage;
}

interface Reserved {
  /** `refused`: the environment or its organization no longer exists. */
  outcome: ReserveAnewResult | 'refused';
  /** Why the outcome is invalid, as in a create; undefined if it is valid. */
  doubt: unknown;
}

/**
 * Reserves a slot for a session that Redis does not know, because a failover or an emptied Redis has lost it, as the session's license
 * token describes it. Returns whether the session may be known now. Throws the problem `service_unavailable` if the published documents
 * are not complete: nobody knows whether the viewer is blocked.
 */
export async function reserveAnew(parts: ReserveAnewParts, token: LicenseToken): Promise<boolean> {
  const record = readTokenRecord(token);
  if (record === null) return false;
  const { outcome, doubt } = await parts.catalog.rereadBeforeRefusal(
    (present) => tryToReserve(parts, present, token, record),
    // The other outcomes do not depend on cached documents.
    (reserved) => reserved.outcome === 'organization_full',
  );
  if (doubt !== undefined) {
    if (outcome === 'reserved') await parts.slots.undo(token);
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
  const environment = await present.environment(environmentId);
  const organization = environment && (await present.organization(environment.organizationId));
  if (organization === null) return { outcome: 'refused', doubt: undefined };
  const organizationIsFull = await usage.isFull(organization, environmentId);
  const reserving = slots.reserveAnew({
    environmentId,
    subject,
    sessionId,
    reservationId,
    startedAt,
    expiresAt,
    limit: policy.maximumConcurrentStreams,
    organizationIsFull,
    details,
    grant: packGrant(grant),
  });
  // Pipelined after the reservation, in the same round trip.
  const checking = catalog.requireGeneration(generation).then(
    () => undefined,
    (error: unknown) => error,
  );
  const [outcome, doubt] = [await reserving, await checking];
  if (outcome === 'reserved') usage.countOne(organization);
  return { outcome, doubt };
}
