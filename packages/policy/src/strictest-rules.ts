import type { PlaybackSchemas } from '@multi-drm/contracts';

/** Security level and output protection for each DRM system that a policy has rules for. */
export type DrmRules = Omit<PlaybackSchemas['TrackPolicy'], 'trackTypes'>;

// Ordered from weakest to strictest.
const widevineHdcp = ['none', '1.0', '1.1', '1.2', '1.3', '1.4', '2.0', '2.1', '2.2', '2.3'] as const;
const playreadyLevels = [150, 2000, 3000] as const;
const playreadyOutput = ['none', 'hdcp', 'hdcp-type1'] as const;
const fairplayHdcp = ['none', 'type0', 'type1'] as const;

/**
 * Returns the stricter value of each rule. A DRM system that either side has no rules for has none in the result:
 * missing rules do not grant permission.
 */
export function strictestRules(one: DrmRules, other: DrmRules): DrmRules {
  const rules: DrmRules = {};
  if (one.widevine !== undefined && other.widevine !== undefined) {
    rules.widevine = {
      securityLevel: Math.max(one.widevine.securityLevel, other.widevine.securityLevel),
      hdcp: laterOf(widevineHdcp, one.widevine.hdcp, other.widevine.hdcp),
    };
  }
  if (one.playready !== undefined && other.playready !== undefined) {
    const { securityLevel, outputProtection } = one.playready;
    rules.playready = {
      securityLevel: laterOf(playreadyLevels, securityLevel, other.playready.securityLevel),
      outputProtection: laterOf(playreadyOutput, outputProtection, other.playready.outputProtection),
    };
  }
  if (one.fairplay !== undefined && other.fairplay !== undefined) {
    rules.fairplay = { hdcp: laterOf(fairplayHdcp, one.fairplay.hdcp, other.fairplay.hdcp) };
  }
  if (one.wiseplay !== undefined && other.wiseplay !== undefined) {
    rules.wiseplay = {
      securityLevel: Math.max(one.wiseplay.securityLevel, other.wiseplay.securityLevel),
      outputControl: Math.max(one.wiseplay.outputControl, other.wiseplay.outputControl),
    };
  }
  return rules;
}

function laterOf<Value>(order: readonly Value[], one: Value, other: Value): Value {
  return order.indexOf(one) > order.indexOf(other) ? one : other;
}
