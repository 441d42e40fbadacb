import type { Logger } from '@multi-drm/service-kit';
import type { RandomBytes } from '../../access/credentials';
import { endpoint } from '../../access/endpoint';
import { changeOf } from '../change-of-request';
import type { FeatureOptions } from '../feature-options';
import type { RegistrationLimiter } from './registration-limiter';
import { RegistrationService, type RegistrationState } from './registration-service';

interface RegistrationEndpointsOptions extends FeatureOptions {
  settings: { REGISTRATION: RegistrationState };
  /** The agreement that a company must accept. */
  agreement: { version: string; url?: string | undefined };
  registrationLimiter: RegistrationLimiter;
  randomBytes: RandomBytes;
  logger: Logger;
}

/** The registration of companies, with its service. */
export function registrationEndpoints(options: RegistrationEndpointsOptions) {
  const { settings, agreement, registrationLimiter, changes, randomBytes, logger } = options;
  const registrations = new RegistrationService({
    changes,
    state: settings.REGISTRATION,
    limiter: registrationLimiter,
    agreement,
    randomBytes,
    logger,
  });
  return [
    endpoint({
      operationId: 'registerCompany',
      access: 'public-by-address',
      handle: async (input) => ({ status: 201, body: await registrations.register(input.body, changeOf(input)) }),
    }),
  ];
}
