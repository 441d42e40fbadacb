import { type Customer, credentialsOf, type Session } from '../services/customer';
import type { Call } from './calls';

/** The call with which a customer's backend creates a session at a process. `body`: what differs from the content of every stage. */
export const createCall = (customer: Pick<Customer, 'siteId' | 'apiClient'>, baseUrl: string, body: object): Call => ({
  operation: 'create',
  baseUrl,
  path: `/api/v1/playback/environments/${customer.siteId}/sessions`,
  headers: credentialsOf(customer.apiClient),
  body: { contentId: 'lesson', contentType: 'vod', drmSystem: 'widevine', useEnvironmentDefaults: true, ...body },
});

/** The call with which a player renews or releases its session at a process. */
export const playerCall = (operation: 'renew' | 'release', baseUrl: string, { release, drm }: Session): Call => ({
  operation,
  baseUrl,
  path: new URL(release.url).pathname.replace(/release$/, operation),
  headers: { Authorization: `Bearer ${drm.drmLicenseToken}` },
});
