import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runInNewContext } from 'node:vm';
import { defaultsLike, documentedSettings } from '@multi-drm/test-kit';
import { createLocalJWKSet, type JWTPayload, jwtVerify } from 'jose';
import supertest from 'supertest';
import { loadSettings, settingNames } from './settings';
import { publicUrl, sessionRequest, startPlayback } from './testing/playback';
import { makeTenant } from './testing/published-tenant';

const required = { REDIS_URL: 'redis://redis', PLAYBACK_PUBLIC_URL: publicUrl, LICENSE_TOKEN_KEYS: '{"keys":[]}' };
const documented = documentedSettings('Playback');

test('the table of settings lists exactly the variables that the service reads', () => {
  expect(Object.keys(documented).sort()).toEqual([...settingNames].sort());
});

test('the table of settings has the defaults of the service', () => {
  expect(documented).toEqual(defaultsLike(documented, loadSettings(required)));
});

test('the code to check a license token accepts a token of the service and refuses a changed one', async () => {
  const playback = await startPlayback();
  const tenant = makeTenant();
  await playback.publish(tenant);
  const session = (await playback.create(tenant, sessionRequest()).expect(200)).body;
  const { body: keys } = await supertest(playback.app).get('/.well-known/jwks.json').expect(200);

  const page = readFileSync(join(__dirname, '../../../docs/backend.md'), 'utf8');
  const section = page.split(/^## /m).find((text) => text.startsWith('Check a license token\n')) ?? '';
  const code = (/^```js\n(.*?)^```$/ms.exec(section)?.[1] ?? '').replace(/^import .*$/m, '');
  const verify: (token: string) => Promise<JWTPayload> = runInNewContext(`${code}\nverifyLicenseToken`, {
    PLAYBACK_URL: publicUrl,
    URL,
    jwtVerify,
    createRemoteJWKSet: (url: URL) => {
      expect(url.href).toBe(`${publicUrl}/.well-known/jwks.json`);
      return createLocalJWKSet(keys);
    },
  });
  const token: string = session.drm.drmLicenseToken;
  expect(await verify(token)).toMatchObject({ sid: session.sessionId });
  const [header, payload = '', signature] = token.split('.');
  const other = Buffer.from(JSON.stringify({ ...JSON.parse(Buffer.from(payload, 'base64url').toString()), sid: 'x' }));
  await expect(verify([header, other.toString('base64url'), signature].join('.'))).rejects.toThrow('signature');
});
