import { playbackDocument, servedDocument } from '@multi-drm/contracts';
import supertest from 'supertest';
import { createPlayback } from '../testing/playback';

const served = async (environment: Record<string, string>) => {
  const playback = createPlayback({ environment });
  const { body } = await supertest(playback.app).get('/openapi.json').expect(200);
  return body;
};

test('the served document names the credential headers with the configured prefix', async () => {
  const { components } = await served({ API_CLIENT_HEADER_PREFIX: 'X-Acme-Drm' });
  expect(components.securitySchemes).toMatchObject({
    clientId: { in: 'header', name: 'X-Acme-Drm-Client-Id' },
    clientSecret: { in: 'header', name: 'X-Acme-Drm-Client-Secret' },
    licenseToken: playbackDocument.components.securitySchemes?.licenseToken,
  });
  expect(components.parameters.clientId).toMatchObject({ in: 'header', name: 'X-Acme-Drm-Client-Id' });
  expect(JSON.stringify(components)).not.toContain('"X-SERVICE');
});

test('with the default prefix, the served document names the headers as this one does', async () => {
  expect(await served({})).toEqual(servedDocument(playbackDocument));
});
