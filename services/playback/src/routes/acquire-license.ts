import type { Turns } from '@multi-drm/service-kit';
import { callerOf, endpoint } from '../access/access';
import { fetchLicense, type LicenseParts } from '../licenses/fetch-license';

/** POST /environments/{siteId}/licenses/{drmSystem}: returns a license for the player's challenge. */
export const acquireLicense = (parts: LicenseParts, turns: Turns) =>
  endpoint({
    operationId: 'acquireLicense',
    access: 'license-token',
    async handle({ body, context, response }) {
      const { token } = callerOf(context, 'license-token');
      const license = await fetchLicense(parts, token, body, () => turns.leave(response));
      return { status: 200, bytes: license.bytes, contentType: license.contentType };
    },
  });
