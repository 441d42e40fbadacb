import assert from 'node:assert/strict';
import { jwtVerify } from 'jose';
import type { DrmSystem } from '../license-backend';
import { atNow, type Clock } from './calls';
import { answerOf, type FakeServer, rawChallengeHeaders } from './exchange';
import { challenges, licenses, soapFault } from './sample-messages';

export const axinomSettings = {
  type: 'axinom',
  url: 'https://drm-license.axinom.example/AcquireLicense?region=eu',
  communicationKeyId: '69e54088-e9e0-4530-8c1a-1eb6dcd0d14e',
  communicationKey: 'AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=',
} as const;

/**
 * Axinom's license service, with one URL per DRM system. An invalid token has the same status as an invalid challenge.
 * PlayReady errors are always 500 with a SOAP fault.
 */
export function fakeAxinom(
  drmSystem: DrmSystem,
  messages: unknown[] = [],
  clock: Clock = atNow,
  challenge = challenges[drmSystem],
): FakeServer {
  return async ({ url, headers, body }) => {
    assert.equal(url, axinomSettings.url);
    const { 'x-axdrm-message': token, ...others } = headers;
    assert.deepEqual(others, rawChallengeHeaders(drmSystem));
    const payload = await verified(token ?? '');
    if (payload === undefined) return denied(drmSystem, 400, 'The License Service Message is not valid.');
    assert.deepEqual(Object.keys(payload), ['version', 'id', 'com_key_id', 'begin_date', 'expiration_date', 'message']);
    assert.equal(payload.version, 1);
    if (payload.com_key_id !== axinomSettings.communicationKeyId) {
      return denied(drmSystem, 400, 'The communication key is unknown.');
    }
    assert(Date.parse(String(payload.begin_date)) < clock().getTime());
    const lifetime = Date.parse(String(payload.expiration_date)) - clock().getTime();
    assert(lifetime > 60_000 && lifetime <= 300_000);
    messages.push(payload.message);
    if (body.equals(challenge)) return answerOf(200, licenses[drmSystem]);
    return denied(drmSystem, 400, 'The request data does not represent a valid request.');
  };
}

async function verified(token: string) {
  try {
    const key = Buffer.from(axinomSettings.communicationKey, 'base64');
    const { payload, protectedHeader } = await jwtVerify(token, key, { algorithms: ['HS256'] });
    assert.deepEqual(protectedHeader, { alg: 'HS256', typ: 'JWT' });
    return payload;
  } catch {
    return undefined;
  }
}

function denied(drmSystem: DrmSystem, status: number, explanation: string) {
  const headers = { 'x-axdrm-errormessage': `Invalid license request. ${explanation} secret of the vendor` };
  return drmSystem === 'playready' ? answerOf(500, soapFault, headers) : answerOf(status, 'denied', headers);
}
