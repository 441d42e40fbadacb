import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { credentialsOf } from '../../e2e/customer';
import { operatorKey } from '../../e2e/service-process';
import { Stage } from '../../faults/src/stage';
import type { Contender } from './contender';
import { pin, profileOptions, serverCore } from './cores';
import { createBody, sessionOperations } from './session-server';

interface StartedSession {
  release: { url: string };
  renewal: { url: string };
  drm: { drmLicenseToken: string; licenseServerUrl: string };
}

/** Begins like a Widevine license request. */
const challenge = `\u0008\u0001${'challenge'.repeat(200)}`;

/** Starts a license server that answers each request with 2 KiB at once; returns its URL. */
export async function startLicenseServer(): Promise<string> {
  const license = Buffer.alloc(2_048, 1);
  const server = createServer((request, response) => {
    request.resume().on('end', () => response.end(license));
  }).unref();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/license`;
}

/**
 * The playback service as in production, with its own Redis and control plane. With a folder for profiles, it writes a CPU profile there
 * when it stops.
 */
export async function startProduct(licenseServerUrl: string, profileFolder?: string): Promise<Contender> {
  const stage = await Stage.start({
    playbacks: 1,
    withoutLink: true,
    settings: { heartbeatSeconds: 300 },
    playback: () => ({
      environment: {
        SESSION_REQUESTS_PER_MINUTE: '1000000', // a session is renewed and licensed more than once
      },
      nodeOptions: profileOptions(profileFolder),
    }),
  });
  const { customer } = stage;
  const [url = ''] = stage.playbackUrls;
  const [playback] = stage.playbacks;
  const pid = playback?.pid;
  if (playback === undefined || pid === undefined) throw new Error('playback is not running');
  pin(pid, serverCore);
  const organization = `/organizations/${customer.organizationId}`;
  const operator = { Authorization: `Bearer ${operatorKey}`, 'If-Match': '*' };
  // A plan without a limit of streams.
  await customer.manage('PATCH', organization, { planId: 'enterprise' }, operator);
  await customer.manage('PUT', `/environments/${customer.siteId}/drm-systems/widevine`, {
    enabled: true,
    backend: { type: 'http', url: licenseServerUrl, responseFormat: 'raw' },
  });
  return {
    name: 'multi-drm',
    url,
    pid,
    ...sessionOperations<StartedSession>({
      url,
      create: {
        path: `/api/v1/playback/environments/${customer.siteId}/sessions`,
        headers: { 'content-type': 'application/json', ...credentialsOf(customer.apiClient) },
        body: createBody,
      },
      requestOn: ({ release, renewal, drm }, operation) => {
        const headers = { authorization: `Bearer ${drm.drmLicenseToken}` };
        const target = { release: release.url, renew: renewal.url, license: drm.licenseServerUrl }[operation];
        const path = new URL(target).pathname;
        if (operation !== 'license') return { path, headers };
        return { path, headers: { ...headers, 'content-type': 'application/octet-stream' }, body: challenge };
      },
    }),
    stop: async () => {
      // A profile is written only at an orderly end.
      await playback.stop();
      await stage.close();
    },
  };
}
