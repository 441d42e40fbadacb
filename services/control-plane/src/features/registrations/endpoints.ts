import type { RandomBytes } from '../../access/keys';
import type { FeatureOptions } from '../feature-options';
import { registerCompany } from './register-company';
import type { RegistrationLimiter } from './registration-limiter';
import { RegistrationService, type RegistrationState } from './registration-service';
import { RegistrationStore } from './registration-store';

interface RegistrationEndpointsOptions extends FeatureOptions {
  settings: { REGISTRATION: RegistrationState };
  /** The agreement that a company must accept. */
  agreement: { version: string; url?: string | undefined };
  registrationLimiter: RegistrationLimiter;
  randomBytes: RandomBytes;
}

/** The registration of companies, with its service and store. */
export function registrationEndpoints(options: RegistrationEndpointsOptions) {
  const { settings, prisma, agreement, registrationLimiter, publisher, now, randomBytes } = options;
  const registrations = new RegistrationService({
    store: new RegistrationStore(prisma),
    state: settings.REGISTRATION,
    limiter: registrationLimiter,
    agreement,
    publisher,
    now,
    randomBytes,
  });
  return [registerCompany(registrations)];
}
