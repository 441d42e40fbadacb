import { type ControlPlaneSchemas, invalidRequest } from '@multi-drm/contracts';
import type { RightsValues } from '../../stores/rights';

type RightsRequest = ControlPlaneSchemas['CreateRightsRequest'] | ControlPlaneSchemas['UpdateRightsRequest'];

/** The fields that a request sets, in their stored form; others are absent. */
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
 * Checks that the availability window begins before it ends; `present` is what is stored. Throws `invalid_request`,
 * which names the end that was sent.
 */
export function requireWindow(
  sent: Partial<RightsValues>,
  present: Pick<RightsValues, 'availableFrom' | 'availableUntil'> = { availableFrom: null, availableUntil: null },
): void {
  const { availableFrom, availableUntil } = { ...present, ...sent };
  if (availableFrom === null || availableUntil === null || availableFrom < availableUntil) return;
  if (sent.availableFrom === undefined) throw invalidRequest({ availableUntil: ['must be after availableFrom'] });
  throw invalidRequest({ availableFrom: ['must be before availableUntil'] });
}
