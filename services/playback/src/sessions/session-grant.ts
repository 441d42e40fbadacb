import { type PlaybackSchemas, trackTypes } from '@multi-drm/contracts';
import { type SignedPolicy, signedPolicy } from '@multi-drm/policy';
import { pack, type StoredDetails, unpack } from '@multi-drm/slots';
import { z } from 'zod';
import type { SessionTimes } from './session-times';

type DrmSystem = PlaybackSchemas['DrmSystem'];

/**
 * What is decided at a session's start and holds until its end, stored with the slot. Changed settings, policies and profiles apply to
 * new sessions only.
 */
export interface SessionGrant extends Pick<StoredDetails, 'contentId' | 'contentType' | 'drmSystem'> {
  /** The manifest types that the player accepts; null: any. */
  manifestTypes: string[] | null;
  policy: SignedPolicy;
  /** The name of the policy's template; null for a custom policy. */
  template: string | null;
  /** The session's times, from the environment's settings. */
  times: SessionTimes;
}

/** The rules of each DRM system, in the order in which they are packed. */
const ruleNames: Record<DrmSystem, readonly string[]> = {
  widevine: ['securityLevel', 'hdcp'],
  playready: ['securityLevel', 'outputProtection'],
  fairplay: ['hdcp'],
  wiseplay: ['securityLevel', 'outputControl'],
};

const packedTimes = z.tuple([z.number(), z.number(), z.number(), z.number(), z.boolean()]);
const packedPolicy = z.tuple([
  z.string().nullable(),
  z.int(),
  z.array(z.tuple([z.array(z.int())]).rest(z.unknown())),
  z.int().nullable(),
  z.int().nullable(),
  z.int().nullable(),
  z.string().nullable(),
  z.string().nullable(),
]);
const packedGrant = z.tuple([packedTimes, z.array(z.string()).nullable(), z.string().nullable(), packedPolicy]);

const packedGrants = new WeakMap<SessionGrant, Buffer>();

/**
 * Packs a grant by position, without the content and the DRM system, which are stored with the session's details. The positions are
 * part of the stored format. A grant must not be changed: it is packed once.
 */
export function packGrant(grant: SessionGrant): Buffer {
  const known = packedGrants.get(grant);
  if (known !== undefined) return known;
  const packed = packByPosition(grant);
  packedGrants.set(grant, packed);
  return packed;
}

function packByPosition({ times, manifestTypes, template, policy, drmSystem }: SessionGrant): Buffer {
  const tracks = policy.tracks.map(({ trackTypes: types, [drmSystem]: rules }) => {
    const values: Record<string, unknown> = rules ?? {};
    return [types.map((type) => trackTypes.indexOf(type)), ...ruleNames[drmSystem].map((name) => values[name])];
  });
  return pack([
    [
      times.lifetimeMilliseconds,
      times.tokenLifetimeMilliseconds,
      times.maximumSessionMilliseconds,
      times.renewalIntervalSeconds,
      times.hasHeartbeat,
    ],
    manifestTypes,
    template,
    [
      policy.template,
      policy.maximumHeight,
      tracks,
      policy.maximumConcurrentStreams,
      policy.licenseDurationSeconds ?? null,
      policy.playbackDurationSeconds ?? null,
      policy.availableFrom ?? null,
      policy.availableUntil ?? null,
    ],
  ]);
}

/** Reads the grant stored with a session that has these details; throws an error for anything else. */
export function readGrant(
  packed: Uint8Array,
  { contentId, contentType, drmSystem }: Pick<StoredDetails, 'contentId' | 'contentType' | 'drmSystem'>,
): SessionGrant {
  const [times, manifestTypes, template, policy] = packedGrant.parse(unpack(packed));
  return {
    contentId,
    contentType,
    drmSystem,
    manifestTypes,
    template,
    policy: readPolicy(policy, drmSystem),
    times: timesAt(times),
  };
}

/** Reads only the times of a stored grant, for callers that have the policy from a license token. */
export function readGrantTimes(packed: Uint8Array): SessionTimes {
  const [times] = z.tuple([packedTimes]).rest(z.unknown()).parse(unpack(packed));
  return timesAt(times);
}

function timesAt([lifetime, tokenLifetime, maximumSession, renewalInterval, hasHeartbeat]: z.infer<
  typeof packedTimes
>): SessionTimes {
  return {
    lifetimeMilliseconds: lifetime,
    tokenLifetimeMilliseconds: tokenLifetime,
    maximumSessionMilliseconds: maximumSession,
    renewalIntervalSeconds: renewalInterval,
    hasHeartbeat,
  };
}

function readPolicy(packed: z.infer<typeof packedPolicy>, drmSystem: DrmSystem): SignedPolicy {
  const [template, maximumHeight, tracks, maximumConcurrentStreams, license, playback, from, until] = packed;
  return signedPolicy.parse({
    template,
    maximumHeight,
    tracks: tracks.map(([types, ...values]) => ({
      trackTypes: types.map((index) => trackTypes[index]),
      [drmSystem]: Object.fromEntries(ruleNames[drmSystem].map((name, index) => [name, values[index]])),
    })),
    maximumConcurrentStreams,
    ...(license === null ? {} : { licenseDurationSeconds: license }),
    ...(playback === null ? {} : { playbackDurationSeconds: playback }),
    ...(from === null ? {} : { availableFrom: from }),
    ...(until === null ? {} : { availableUntil: until }),
  });
}
