import type { SignedPolicy } from '@multi-drm/policy';
import type { ContentKey, DrmSystem, LicenseCall } from '../license-backend';
import { templatePolicy as policyOfTemplate } from '../template-policy';
import { acquireLicenseAction, challenges } from './sample-messages';

export const now = new Date('2026-03-01T12:00:00.700Z');
/** Returns the time on a fake license server. */
export type Clock = () => Date;
export const atNow: Clock = () => now;
export const tokenId = '7b0ad1f0-55a5-4b43-8d3c-4b1a0f5d2c33';

/** One key per quality. */
export const keys: ContentKey[] = [
  { keyId: '10000000-0000-4000-8000-0000000000a0', trackTypes: ['AUDIO', 'SD'], key: null },
  { keyId: '20000000-0000-4000-8000-0000000000b0', trackTypes: ['HD'], key: null },
  { keyId: '30000000-0000-4000-8000-0000000000c0', trackTypes: ['UHD1'], key: null },
];

/** One key for all tracks. */
export const keyOfAll: ContentKey = {
  keyId: '10000000-0000-4000-8000-0000000000a0',
  trackTypes: ['AUDIO', 'SD', 'HD', 'UHD1'],
  key: null,
};

/** The signed policy of a built-in template for one DRM system, with a limit of two streams. */
export function templatePolicy(template: string, drmSystem: DrmSystem): SignedPolicy {
  return { ...policyOfTemplate(template, drmSystem), maximumConcurrentStreams: 2 };
}

/** A call whose license ends with the session, in an hour. */
export function callOf(drmSystem: DrmSystem, changes: Partial<LicenseCall> = {}): LicenseCall {
  return {
    drmSystem,
    challenge: challenges[drmSystem],
    challengeHeaders: drmSystem === 'playready' ? { SOAPAction: acquireLicenseAction } : {},
    environmentId: '5f0d2a51-0f0e-4d0b-9a53-0f9a4c1f2b77',
    subject: 'lms:3f9c:17',
    sessionId: '5c0e4a52-6a3e-4d0b-9a53-0f9a4c1f2b77',
    contentId: 'lesson-0042 ü',
    keys,
    policy: templatePolicy('multi-tier-standard', drmSystem),
    licenseEndsAt: new Date('2026-03-01T13:00:00.900Z'),
    now,
    randomUuid: () => tokenId,
    ...changes,
  };
}
