import assert from 'node:assert/strict';
import { jwtVerify } from 'jose';
import type { DrmSystem } from '../license-backend';
import { atNow, type Clock } from './calls';
import { answerOf, type FakeServer, rawChallengeHeaders } from './exchange';
import { challenges, licenses } from './sample-messages';

export const drmTodaySettings = {
  type: 'drmtoday',
  url: 'https://lic.drmtoday.example/license-proxy/cenc/',
  merchant: 'six',
  sharedSecretId: '4a1f',
  sharedSecret: '000102030405060708090a0b0c0d0e0f101112131415161718191A1B1C1D1E1F',
} as const;

interface Received {
  optData: unknown;
  crt: unknown;
}

/** DRMtoday: accepts each `jti` once; Widevine licenses are JSON, FairPlay licenses `<ckc>`, the others raw. */
export function fakeDrmToday(
  drmSystem: DrmSystem,
  received: Received[] = [],
  clock: Clock = atNow,
  challenge = challenges[drmSystem],
): FakeServer {
  const seen = new Set<unknown>();
  return async ({ url, headers, body }) => {
    assert.equal(url, drmTodaySettings.url);
    const { 'x-dt-auth-token': token = '', ...others } = headers;
    const isForm = drmSystem === 'fairplay';
    assert.deepEqual(
      others,
      isForm ? { 'content-type': 'application/x-www-form-urlencoded' } : rawChallengeHeaders(drmSystem),
    );
    const payload = await verified(token, clock());
    if (payload === undefined || seen.has(payload.jti)) return answerOf(403, 'secret of the vendor');
    assert.deepEqual(Object.keys(payload).sort(), ['crt', 'exp', 'iat', 'jti', 'optData']);
    seen.add(payload.jti);
    received.push({ optData: JSON.parse(String(payload.optData)), crt: JSON.parse(String(payload.crt)) });
    const expected = isForm ? `spc=${encodeURIComponent(challenge.toString('base64'))}` : challenge;
    return body.equals(Buffer.from(expected)) ? licenseAnswer(drmSystem) : answerOf(400, 'secret of the vendor');
  };
}

async function verified(token: string, now: Date) {
  try {
    const key = Buffer.from(drmTodaySettings.sharedSecret, 'hex');
    const { payload, protectedHeader } = await jwtVerify(token, key, { algorithms: ['HS256'], currentDate: now });
    assert.deepEqual(protectedHeader, { alg: 'HS256', typ: 'JWT', kid: drmTodaySettings.sharedSecretId });
    assert(Number(payload.iat) < now.getTime() / 1000);
    return payload;
  } catch {
    return undefined;
  }
}

function licenseAnswer(drmSystem: DrmSystem) {
  const license = licenses[drmSystem];
  if (drmSystem === 'widevine') return answerOf(200, { status: 'OK', license: license.toString('base64') });
  return drmSystem === 'fairplay' ? answerOf(200, `<ckc>${license.toString('base64')}</ckc>`) : answerOf(200, license);
}
