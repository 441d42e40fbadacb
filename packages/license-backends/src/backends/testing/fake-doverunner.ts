import assert from 'node:assert/strict';
import { createDecipheriv, createHash } from 'node:crypto';
import type { DrmSystem } from '../license-backend';
import { atNow, type Clock } from './calls';
import { answerOf, type FakeServer, rawChallengeHeaders } from './exchange';
import { challenges, licenses } from './sample-messages';

/** From the vendor's public samples. */
export const doveRunnerSettings = {
  type: 'doverunner',
  url: 'https://drm-license.doverunner.example/ri/licenseManager.do',
  siteId: 'TUTO',
  siteKey: 'lU5D8s3PWoLls3PWFWkClULlFWk5D8oC',
  accessKey: 'LT2FVJDp2Xr018zf4Di6lzvNOv3DKP20',
} as const;

const failure = (errorCode: string) => answerOf(200, { errorCode, message: 'secret of the vendor' });

interface Received {
  token: Record<string, string>;
  policy: unknown;
}

/** DoveRunner: errors are HTTP 200 with JSON; FairPlay licenses are base64 text, the others raw. */
export function fakeDoveRunner(
  drmSystem: DrmSystem,
  received: Received[] = [],
  clock: Clock = atNow,
  challenge = challenges[drmSystem],
): FakeServer {
  return ({ url, headers, body }) => {
    assert.equal(url, doveRunnerSettings.url);
    const { 'pallycon-customdata-v2': text = '', ...others } = headers;
    const isForm = drmSystem === 'fairplay';
    assert.deepEqual(
      others,
      isForm ? { 'content-type': 'application/x-www-form-urlencoded' } : rawChallengeHeaders(drmSystem),
    );
    const token: Record<string, string> = JSON.parse(Buffer.from(text, 'base64').toString());
    assert.deepEqual(Object.keys(token).sort(), [
      'cid',
      'drm_type',
      'hash',
      'policy',
      'site_id',
      'timestamp',
      'user_id',
    ]);
    const { drm_type, site_id, user_id, cid, policy = '', timestamp = '', hash } = token;
    if (site_id !== doveRunnerSettings.siteId) return failure('7001');
    const digest = createHash('sha256');
    for (const part of [doveRunnerSettings.accessKey, drm_type, site_id, user_id, cid, policy, timestamp]) {
      digest.update(part ?? '', 'utf8');
    }
    if (digest.digest('base64') !== hash) return failure('7002');
    assert.match(timestamp, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
    const age = clock().getTime() - Date.parse(timestamp);
    if (age < 0 || age > 600_000) return failure('7011');
    received.push({ token, policy: JSON.parse(decrypted(policy)) });
    const expected = isForm
      ? `spc=${encodeURIComponent(challenge.toString('base64'))}&assetId=lesson-0042+%C3%BC`
      : challenge;
    if (!body.equals(Buffer.from(expected))) return failure('3101');
    return answerOf(200, isForm ? licenses.fairplay.toString('base64') : licenses[drmSystem]);
  };
}

function decrypted(policy: string): string {
  const decipher = createDecipheriv('aes-256-cbc', doveRunnerSettings.siteKey, '0123456789abcdef');
  return decipher.update(policy, 'base64', 'utf8') + decipher.final('utf8');
}
