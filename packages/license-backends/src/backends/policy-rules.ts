import { type PlaybackSchemas, trackTypes } from '@multi-drm/contracts';
import { type SignedPolicy, strictestRules } from '@multi-drm/policy';
import type { DrmSystem, LicenseTerms, TrackType } from './license-backend';

type AllRules = Required<Omit<PlaybackSchemas['TrackPolicy'], 'trackTypes'>>;
export type Rules<System extends DrmSystem> = AllRules[System];

/** From the lowest quality to the highest. */
export const videoTrackTypes = trackTypes.filter((trackType) => trackType !== 'AUDIO');

/** The rules of each allowed track type, in the order AUDIO, SD, HD, UHD1, UHD2. */
export function rulesByTrackType<System extends DrmSystem>(
  terms: Pick<LicenseTerms, 'policy' | 'keys'>,
  drmSystem: System,
): Map<TrackType, Rules<System>> {
  return new Map(
    trackTypes.flatMap((trackType) => {
      const rules = rulesOf([trackType], terms, drmSystem);
      return rules === undefined ? [] : [[trackType, rules] as const];
    }),
  );
}

/**
 * Returns the rules for a license of these track types; undefined if none of them is allowed. Whoever has a key can
 * decrypt every track that uses it, so tracks that share a key get the strictest of their rules.
 */
export function rulesOf<System extends DrmSystem>(
  wanted: readonly TrackType[],
  { policy, keys }: Pick<LicenseTerms, 'policy' | 'keys'>,
  drmSystem: System,
): Rules<System> | undefined {
  const tracksOf = (opened: ReadonlySet<TrackType>) =>
    policy.tracks.filter((track) => track.trackTypes.some((trackType) => opened.has(trackType)));
  if (tracksOf(new Set(wanted)).length === 0) return undefined;
  const together = keys.filter((key) => key.trackTypes.some((trackType) => wanted.includes(trackType)));
  const opened = tracksOf(new Set([...wanted, ...together.flatMap((key) => key.trackTypes)]));
  const strictest = opened.reduce<Partial<AllRules> | undefined>(
    (one, other) => (one === undefined ? other : strictestRules(one, other)),
    undefined,
  );
  return strictest?.[drmSystem];
}

/** The tracks of the policy, but with the strictest rules for tracks that share a key. One entry per set of equal rules. */
export function tracksByRules(terms: LicenseTerms): SignedPolicy['tracks'] {
  const { drmSystem } = terms;
  const byRules = new Map<string, SignedPolicy['tracks'][number]>();
  for (const [trackType, rules] of rulesByTrackType(terms, drmSystem)) {
    const text = JSON.stringify(rules);
    const { trackTypes = [] } = byRules.get(text) ?? {};
    byRules.set(text, { trackTypes: [...trackTypes, trackType], [drmSystem]: rules });
  }
  return [...byRules.values()];
}
