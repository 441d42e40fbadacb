import type { ControlPlaneSchemas } from '@multi-drm/contracts';
import type { Database } from '../../database/database';
import { lowestEventIdAt } from '../../events/event-id';
import { countLicenseOutcomes, type LicenseOutcome } from '../../stores/license-outcomes';

type LicenseBackendHealth = ControlPlaneSchemas['LicenseBackendHealth'];

const spanMilliseconds = 5 * 60_000;
const maximumEvents = 10_000;

/** How the license requests of a DRM system went in the five minutes before now. */
export async function readLicenseBackendHealth(
  database: Database,
  environmentId: string,
  drmSystem: string,
  now: Date,
): Promise<LicenseBackendHealth> {
  const time = new Date(now.getTime() - spanMilliseconds);
  const since = { id: lowestEventIdAt(time.getTime()), time };
  return healthOf(await countLicenseOutcomes(database, environmentId, drmSystem, since, maximumEvents));
}

function healthOf(outcomes: LicenseOutcome[]): LicenseBackendHealth {
  const issued = outcomes.find(({ code }) => code === null)?.count ?? 0;
  const refused = outcomes.flatMap(({ code, count }) => (code === null ? [] : [{ code, count }]));
  const atServer = refused.some(({ code }) => code.startsWith('license_backend_'));
  const health = atServer ? (issued > 0 ? 'degraded' : 'failing') : issued > 0 ? 'ok' : 'unknown';
  return { health, issued, refused };
}
