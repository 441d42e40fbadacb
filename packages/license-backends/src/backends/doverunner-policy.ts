import type { LicenseCall, LicenseTerms, TrackType } from './license-backend';
import { licenseDuration } from './license-duration';
import { type Rules, rulesByTrackType, videoTrackTypes } from './policy-rules';
import { contentNotExpressible, policyNotExpressible } from './refusals';
import { widevineHdcp } from './widevine-hdcp';

/** The policy of a DoveRunner license token, version 2. `license_duration` excludes `expire_date`; 0 means no end. */
export function doveRunnerPolicy(call: LicenseCall) {
  const { seconds, playbackSeconds = seconds } = licenseDuration(call);
  const { allowedTrackTypes, securityPolicy } = doveRunnerTracks(call);
  return {
    policy_version: 2,
    playback_policy: {
      persistent: false,
      // Non-persistent licenses have no playback duration, so the license itself ends as early.
      license_duration: Math.min(seconds, playbackSeconds),
      allowed_track_types: allowedTrackTypes,
    },
    security_policy: securityPolicy,
  };
}

/** `allowed_track_types` by the best quality it includes. There is no value for audio only. */
const upTo = { SD: 'SD_ONLY', HD: 'SD_HD', UHD1: 'SD_UHD1', UHD2: 'SD_UHD2' } as const;

/**
 * A quality includes those below it. If the policy does not list one of them, it gets the rules of the next better one
 * that is listed: never weaker rules, or the vendor's defaults. Throws `NotExpressible` for audio only, and for rules
 * that DoveRunner has no field for.
 */
export function doveRunnerTracks(terms: LicenseTerms) {
  const rulesFor = securityRules(terms);
  const best = videoTrackTypes.findLast((trackType) => rulesFor.has(trackType));
  if (best === undefined) throw contentNotExpressible('DoveRunner has no license for audio only');

  const securityPolicy: Record<string, unknown>[] = [];
  let nextBetter: object | undefined;
  for (const trackType of videoTrackTypes.slice(0, videoTrackTypes.indexOf(best) + 1).reverse()) {
    nextBetter = rulesFor.get(trackType) ?? nextBetter;
    securityPolicy.unshift({ track_type: trackType, [terms.drmSystem]: nextBetter });
  }
  // Audio has its own key or that of the lowest quality.
  securityPolicy.unshift({ track_type: 'AUDIO', [terms.drmSystem]: rulesFor.get('AUDIO') ?? nextBetter });
  return { allowedTrackTypes: upTo[best], securityPolicy: mergedIfEqual(securityPolicy, terms.drmSystem) };
}

/** If all rules are equal, one entry for the track type `ALL` replaces them, which also serves content with one key for all tracks. */
function mergedIfEqual(entries: Record<string, unknown>[], drmSystem: string) {
  const [first, ...others] = entries.map((entry) => JSON.stringify(entry[drmSystem]));
  const areEqual = others.every((other) => other === first);
  return areEqual ? entries.slice(0, 1).map((entry) => ({ ...entry, track_type: 'ALL' })) : entries;
}

function securityRules(terms: LicenseTerms): Map<TrackType, object> {
  const { drmSystem } = terms;
  if (drmSystem === 'widevine') return mapValues(rulesByTrackType(terms, 'widevine'), widevineRules);
  if (drmSystem === 'playready') return mapValues(rulesByTrackType(terms, 'playready'), playReadyRules);
  if (drmSystem === 'fairplay') {
    const enforcement = { none: -1, type0: 0, type1: 1 } as const;
    return mapValues(rulesByTrackType(terms, 'fairplay'), ({ hdcp }) => ({ hdcp_enforcement: enforcement[hdcp] }));
  }
  return mapValues(rulesByTrackType(terms, 'wiseplay'), ({ securityLevel, outputControl }) => ({
    security_level: securityLevel,
    output_control: outputControl,
  }));
}

function widevineRules({ securityLevel, hdcp }: Rules<'widevine'>) {
  if (hdcp === '2.3') throw policyNotExpressible('HDCP 2.3');
  return { security_level: securityLevel, required_hdcp_version: widevineHdcp(hdcp) };
}

/** Output protection levels for digital video: 100 allows any output, 300 requires HDCP. */
function playReadyRules({ securityLevel, outputProtection }: Rules<'playready'>) {
  return {
    security_level: securityLevel,
    digital_video_protection_level: outputProtection === 'none' ? 100 : 300,
    require_hdcp_type_1: outputProtection === 'hdcp-type1',
  };
}

function mapValues<Key, Value, Result>(map: Map<Key, Value>, change: (value: Value) => Result): Map<Key, Result> {
  return new Map([...map].map(([key, value]) => [key, change(value)]));
}
