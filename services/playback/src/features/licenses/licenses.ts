import { type LicenseTransport, policySigner } from '@multi-drm/license-backends';
import type { Secrets } from '@multi-drm/service-kit';
import type { RereadingCatalog } from '../../catalog/catalog';
import type { SlotStore } from '../../slots/slot-store';
import type { LicenseTokenSettings } from '../../tokens/license-token';
import { LicenseBackends } from './license-backends';
import { LicenseService } from './license-service';

interface LicensesOptions {
  catalog: RereadingCatalog;
  slots: SlotStore;
  secrets: Secrets;
  transport: LicenseTransport;
  tokens: LicenseTokenSettings;
  /** License requests that one session may make per minute. */
  callsPerMinute: number;
  randomUuid: () => string;
}

/** Assembles the license service. */
export function createLicenses(options: LicensesOptions): LicenseService {
  const backends = new LicenseBackends({ secrets: options.secrets, signPolicy: policySigner(options.tokens) });
  return new LicenseService({ ...options, backends });
}
