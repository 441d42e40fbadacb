import { createCipheriv, createHash } from 'node:crypto';
import { drmSystems } from '@multi-drm/contracts';
import { z } from 'zod';
import { base64License, errorNamedIn, isUtf8Text, requireLicense, requireSuccess } from './answers';
import { type BackendDescriptor, type SettingsByType, textSetting, urlSetting } from './backend-descriptor';
import { challengeOrForm } from './challenge-headers';
import { doveRunnerPolicy, doveRunnerTracks } from './doverunner-policy';
import type { DrmSystem, LicenseBackend, LicenseCall } from './license-backend';
import { refused } from './refusals';
import { vendorTokenTimes, withoutFraction } from './vendor-token-times';

/**
 * DoveRunner, formerly PallyCon: the challenge plus a license token
 * (https://doverunner.com/docs/content-security/multi-drm/license/license-token, version 2 of the policy).
 */
export const doveRunner = {
  settings: z.object({
    type: z.literal('doverunner'),
    url: urlSetting,
    siteId: textSetting,
    /** 32 ASCII characters, each one byte of the key. */
    siteKey: z.string().regex(/^[\x21-\x7e]{32}$/),
    accessKey: z.string().min(1).max(4096),
  }),
  secrets: ['siteKey', 'accessKey'],
  systems: drmSystems,
  plan: doveRunnerTracks,
  create(settings): LicenseBackend {
    return {
      prepare(call) {
        const sent = challengeOrForm(call, { assetId: call.contentId });
        const headers = { ...sent.headers, 'pallycon-customdata-v2': tokenOf(settings, call) };
        return { makeRequest: () => ({ url: settings.url, headers, body: sent.body }) };
      },
      unwrap(answer, { drmSystem }) {
        requireSuccess(answer, drmSystem);
        const errorCode = errorNamedIn(answer.body, /^errorCode$/);
        if (errorCode !== undefined) throw refused(errorCode);
        // FairPlay licenses are base64 text; raw ones are accepted, too (`response_format`).
        const isEncoded = drmSystem === 'fairplay' && isUtf8Text(answer.body);
        const license = isEncoded ? base64License(answer.body.toString('latin1')) : answer.body;
        return requireLicense(license, drmSystem);
      },
    };
  },
} satisfies BackendDescriptor<'doverunner'>;

const drmTypes: Record<DrmSystem, string> = {
  widevine: 'Widevine',
  playready: 'PlayReady',
  fairplay: 'FairPlay',
  wiseplay: 'Wiseplay',
};

type DoveRunnerSettings = SettingsByType['doverunner'];

function tokenOf(settings: DoveRunnerSettings, call: LicenseCall): string {
  const token = doveRunnerToken(settings, {
    drm_type: drmTypes[call.drmSystem],
    user_id: call.subject,
    cid: call.contentId,
    policy: JSON.stringify(doveRunnerPolicy(call)),
    timestamp: withoutFraction(vendorTokenTimes(call.now).issuedAt),
  });
  return Buffer.from(JSON.stringify(token)).toString('base64');
}

/** Encrypts the policy and signs the token. The access key is only part of the hashed text and never sent. */
export function doveRunnerToken(
  { siteId, siteKey, accessKey }: Pick<DoveRunnerSettings, 'siteId' | 'siteKey' | 'accessKey'>,
  plain: { drm_type: string; user_id: string; cid: string; policy: string; timestamp: string },
) {
  const { drm_type, user_id, cid, timestamp } = plain;
  const cipher = createCipheriv('aes-256-cbc', Buffer.from(siteKey), Buffer.from('0123456789abcdef'));
  const policy = Buffer.concat([cipher.update(plain.policy, 'utf8'), cipher.final()]).toString('base64');
  const hash = createHash('sha256')
    .update(accessKey + drm_type + siteId + user_id + cid + policy + timestamp)
    .digest('base64');
  return { drm_type, site_id: siteId, user_id, cid, policy, timestamp, hash };
}
