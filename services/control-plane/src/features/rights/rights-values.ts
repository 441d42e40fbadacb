import { type ControlPlaneSchemas, invalidRequest } from '@multi-drm/contracts';
import type { RightsRecord } from './rights-store';

type RightsRequest = ControlPlaneSchemas['CreateRightsRequest'] | ControlPlaneSchemas['UpdateRightsRequest'];

/** What callers set of rights, as it is stored. */
export type RightsValues = Omit<RightsRecord, 'id' | 'projectId' | 'status' | 'version' | 'createdAt' | 'updatedAt'>;

/** What a request sets; what it leaves out is absent. */
export function rightsValues(request: RightsRequest): Partial<RightsValues> {
  const { atStreamLimit, availableFrom, availableUntil, allowedClientPlatforms, ...same } = request;
  return {
    ...same,
    ...(atStreamLimit === undefined ? {} : { atStreamLimit: atStreamLimit === 'reject' ? 'reject' : 'evict_oldest' }),
    ...(availableFrom === undefined ? {} : { availableFrom: timeOf(availableFrom) }),
    ...(availableUntil === undefined ? {} : { availableUntil: timeOf(availableUntil) }),
    ...(allowedClientPlatforms === undefined ? {} : { allowedClientPlatforms: allowedClientPlatforms ?? [] }),
  };
}

function timeOf(text: string | null): Date | null {
  return text === null ? null : new Date(text);
}

/**
 * Makes sure that the time of rights begins before it ends; `present` is what is stored of them. Throws
 * `invalid_request`, which names the end that was sent.
 */
export function requireWindow(
  sent: Partial<RightsValues>,
  present: Pick<RightsValues, 'availableFrom' | 'availableUntil'> = { availableFrom: null, availableUntil: null },
): void {
  const { availableFrom, availableUntil } = { ...present, ...sent };
  if (availableFrom === null || availableUntil === null || availableFrom < availableUntil) return;
  if (sent.availableFrom === undefined) throw invalidRequest({ availableUntil: ['must lie after availableFrom'] });
  throw invalidRequest({ availableFrom: ['must lie before availableUntil'] });
}
