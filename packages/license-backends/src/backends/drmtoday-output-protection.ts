import type { DrmSystem, LicenseTerms, TrackType } from './license-backend';
import { type Rules, rulesByTrackType, rulesOf } from './policy-rules';
import { policyNotExpressible } from './refusals';
import { widevineHdcp } from './widevine-hdcp';

/** DRMtoday's qualities and the track types of each. */
const qualities = {
  AUDIO: ['AUDIO'],
  SD: ['SD'],
  HD: ['HD'],
  UHD: ['UHD1', 'UHD2'],
} as const satisfies Record<string, TrackType[]>;

type Configuration = Record<string, unknown>;

/**
 * `outputProtection` (for the whole license) and `op` (enhanced, per quality) of a customer rights token. Qualities
 * that the policy does not allow are denied. Throws `NotExpressible` for rules that DRMtoday has no field for.
 */
export function outputProtectionOf(terms: LicenseTerms) {
  const { drmSystem } = terms;
  if (drmSystem === 'wiseplay') return wisePlayProtection(terms);
  if (drmSystem === 'widevine') {
    return protection(terms, 'widevine', 'WidevineM', ({ securityLevel, hdcp }) => ({
      minSL: securityLevel,
      requireHDCP: widevineHdcp(hdcp),
    }));
  }
  if (drmSystem === 'playready') {
    return protection(terms, 'playready', 'PlayReadyM', ({ securityLevel, outputProtection }) => ({
      minSL: securityLevel,
      requireHDCP: { none: 'HDCP_NONE', hdcp: 'HDCP_V1', 'hdcp-type1': 'HDCP_V2_2' }[outputProtection],
    }));
  }
  return protection(terms, 'fairplay', 'FairPlayM', ({ hdcp }) => ({
    requireHDCP: { none: 'HDCP_NONE', type0: 'HDCP_V1', type1: 'HDCP_V2_2' }[hdcp],
  }));
}

function protection<System extends DrmSystem>(
  terms: LicenseTerms,
  drmSystem: System,
  name: string,
  configurationOf: (rules: Rules<System>) => Configuration & { requireHDCP: string },
) {
  const config: Record<string, Record<string, Configuration>> = {};
  const hdcp: boolean[] = [];
  for (const [quality, trackTypes] of Object.entries(qualities)) {
    const rules = rulesOf(trackTypes, terms, drmSystem);
    const configuration = rules === undefined ? undefined : configurationOf(rules);
    if (configuration !== undefined && quality !== 'AUDIO') hdcp.push(configuration.requireHDCP !== 'HDCP_NONE');
    config[quality] = { [name]: configuration ?? { deny: true } };
  }
  return { outputProtection: wholeLicense(hdcp), op: { config } };
}

/** Sets for the whole license what all qualities require; what only some require is in `op`. */
function wholeLicense(hdcp: boolean[]) {
  const required = hdcp.length > 0 && hdcp.every(Boolean);
  return { digital: required, analogue: required, enforce: required };
}

/** DRMtoday has no enhanced output protection for WisePlay: one rule for all qualities, and software security only. */
function wisePlayProtection(terms: LicenseTerms) {
  const rules = [...rulesByTrackType(terms, 'wiseplay').values()];
  const level = Math.max(...rules.map(({ securityLevel }) => securityLevel));
  const control = Math.max(...rules.map(({ outputControl }) => outputControl));
  if (level > 1) throw policyNotExpressible(`WisePlay security level ${level}`);
  if (control > 1) throw policyNotExpressible(`WisePlay output control ${control}`);
  return { outputProtection: wholeLicense([control > 0]) };
}
