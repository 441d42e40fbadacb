import { startHttpServer } from '@multi-drm/test-kit/servers/http-server';
import { type ApiClient, credentialsOf } from '@multi-drm/test-kit/services/customer';
import { Stage, type StageOptions } from '@multi-drm/test-kit/stage/stage';
import type { BenchRequest } from './load';
import { createBody } from './session-server';

/** What the requests on a session need of the answer to its create. */
export interface StartedSession {
  release: { url: string };
  renewal: { url: string };
  drm: { drmLicenseToken: string; licenseServerUrl: string };
}

/** Begins like a Widevine license request. */
const challenge = `\u0008\u0001${'challenge'.repeat(200)}`;

/** Starts a license server that answers each request with 2 KiB at once; returns its URL. */
export async function startLicenseServer(): Promise<string> {
  const license = Buffer.alloc(2_048, 1);
  const url = await startHttpServer((request, response) => {
    request.resume().on('end', () => response.end(license));
  });
  return `${url}/license`;
}

/** Starts the product as in production, with a customer whose licenses come from this server, on a plan without a limit of streams. */
export async function startDeployment(licenseServerUrl: string, options: StageOptions): Promise<Stage> {
  const stage = await Stage.start({
    withoutLink: true,
    planId: 'enterprise',
    ...options,
    settings: { heartbeatSeconds: 300, ...options.settings },
    playback: (index) => {
      const { environment, ...own } = options.playback?.(index) ?? {};
      // A session is renewed and licensed more than once.
      return { ...own, environment: { SESSION_REQUESTS_PER_MINUTE: '1000000', ...environment } };
    },
  });
  const { customer } = stage;
  await customer.manage('PUT', `/environments/${customer.siteId}/drm-systems/widevine`, {
    enabled: true,
    backend: { type: 'http', url: licenseServerUrl, responseFormat: 'raw' },
  });
  return stage;
}

/** The request that starts a session. */
export function createRequest(
  siteId: string,
  apiClient: Pick<ApiClient, 'clientId' | 'accessKey'>,
  body = createBody,
): BenchRequest {
  return {
    path: `/api/v1/playback/environments/${siteId}/sessions`,
    headers: { 'content-type': 'application/json', ...credentialsOf(apiClient) },
    body,
  };
}

/** The request of an operation on a started session. */
export function requestOn(
  { release, renewal, drm }: StartedSession,
  operation: 'renew' | 'license' | 'release',
): BenchRequest {
  const headers = { authorization: `Bearer ${drm.drmLicenseToken}` };
  const target = { release: release.url, renew: renewal.url, license: drm.licenseServerUrl }[operation];
  const path = new URL(target).pathname;
  if (operation !== 'license') return { path, headers };
  return { path, headers: { ...headers, 'content-type': 'application/octet-stream' }, body: challenge };
}
