import { generateKeyPairSync } from 'node:crypto';
import { policySigner } from '@multi-drm/license-backends';
import { callOf } from '@multi-drm/license-backends/testing';
import { KnownTokens } from './known-tokens';
import { verifyLicenseToken } from './license-token';
import { parseSigningKeys } from './signing-keys';

const privateKey = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'jwk' });
const keys = parseSigningKeys(JSON.stringify({ keys: [privateKey] }));
const issuer = 'https://play.example';
const audience = 'https://keys.customer.example';

test('a signed policy for a license server is not accepted as a license token', () => {
  const call = callOf('widevine');
  const token = policySigner({ keys, issuer })(call, audience);
  expect(() => verifyLicenseToken({ keys, issuer, audience, known: new KnownTokens() }, token, call)).toThrow(
    expect.objectContaining({ code: 'token_invalid' }),
  );
});
