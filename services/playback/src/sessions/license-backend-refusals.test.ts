import { licenseRefusal } from '@multi-drm/license-backends';
import { decidePlayback, type PlaybackFacts } from '@multi-drm/policy';
import { contentWith, environmentWith, factsWith, now } from '@multi-drm/policy/testing';

/** Licenses come from a backend of this type. */
const backedBy = (backend: string, drmSystem: 'widevine' | 'wiseplay' = 'widevine'): Partial<PlaybackFacts> => ({
  request: { ...factsWith().request, drmSystem, licensePolicyTemplate: 'multi-tier-standard' },
  environment: { ...environmentWith(), drmSystems: [{ drmSystem, enabled: true, backend }] },
  findLicenseRefusal: licenseRefusal,
});

// Source and detail must be enough for a support engineer to find the cause of a refusal. Every text is tested verbatim.
test.each<[detail: string, code: string, Partial<PlaybackFacts>]>([
  [
    "The environment's license backend cannot enforce the policy: WisePlay security level 2.",
    'license_policy_invalid',
    backedBy('drmtoday', 'wiseplay'),
  ],
  [
    "The environment's license backend cannot issue a license for the content: Axinom requires key ids, and none is registered.",
    'drm_system_not_supported',
    backedBy('axinom'),
  ],
  [
    "The environment's license backend cannot issue a license for the content: ClearKey requires stored content keys, and there are none.",
    'drm_system_not_supported',
    backedBy('clearkey'),
  ],
  [
    "The environment's license backend cannot issue a license for the content: DoveRunner has no license for audio only.",
    'drm_system_not_supported',
    { ...backedBy('doverunner'), content: contentWith({ kind: 'audio' }) },
  ],
])('%s: %s', (detail, code, facts) => {
  const decision = decidePlayback(factsWith(facts), now);
  expect(decision).toMatchObject({ allowed: false, refusal: { code, detail } });
  const step = { rule: 'license_backend', source: 'environment', outcome: 'refused', detail };
  expect(decision.explanation.steps().at(-1)).toEqual(step);
});
