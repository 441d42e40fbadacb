import { callerOf, endpoint } from '../../access/access';
import type { LicenseService } from './license-service';

/** POST /environments/{siteId}/licenses/{drmSystem}: the player's challenge in, its license out. */
export const acquireLicense = (licenses: LicenseService) =>
  endpoint({
    operationId: 'acquireLicense',
    access: 'license-token',
    async handle({ body, context }) {
      const { token } = callerOf(context, 'license-token');
      const license = await licenses.acquire(token, body);
      return { status: 200, bytes: license.bytes, contentType: license.contentType };
    },
  });
