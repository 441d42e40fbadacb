import type { ServerResponse } from 'node:http';
import { closeServers, licenseServer } from '@multi-drm/license-backends/testing';
import { startControlPlane } from '../../testing/control-plane';
import { eventually } from '../../testing/eventually';
import { bearer, createTenant } from '../../testing/records';

afterEach(closeServers);

test('sixteen tests are under way at once, of whomever; one more is told to come back', async () => {
  const { api, ...controlPlane } = await startControlPlane({
    environment: { LICENSE_BACKEND_TIMEOUT_MILLISECONDS: '60000' },
  });
  const asked: ServerResponse[] = [];
  const { url } = await licenseServer((_request, response) => void asked.push(response));
  const tenants = [await createTenant({ api, ...controlPlane }), await createTenant({ api, ...controlPlane })];
  const places = tenants.flatMap(({ key, development }) =>
    ['widevine', 'playready', 'fairplay', 'wiseplay'].map((drmSystem) => ({
      key,
      path: `/api/v1/management/environments/${development}/drm-systems/${drmSystem}`,
    })),
  );
  for (const { key, path } of places) {
    const backend = { type: 'http', url, responseFormat: 'raw' };
    await api.put(path).set(bearer(key)).send({ enabled: true, backend }).expect(200);
  }
  const [{ key, path } = { key: '', path: '' }] = places;
  const once = async (place = { key, path }) => api.post(`${place.path}/test`).set(bearer(place.key));

  const underWay = [...places, ...places].map((place) => once(place));
  await eventually(async () => expect(asked).toHaveLength(16), 30_000);
  const refused = await once();
  expect([refused.status, refused.body.code, refused.headers['retry-after']]).toEqual([
    503,
    'service_unavailable',
    '5',
  ]);

  for (const response of asked) response.writeHead(400).end();
  expect((await Promise.all(underWay)).map(({ status }) => status)).toEqual(Array(16).fill(200));
  const next = once();
  await eventually(async () => expect(asked).toHaveLength(17), 30_000);
  asked.at(-1)?.writeHead(400).end();
  expect((await next).status).toBe(200);
});
