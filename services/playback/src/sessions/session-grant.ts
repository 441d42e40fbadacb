import { signedPolicy } from '@multi-drm/contracts';
import { z } from 'zod';
import type { SessionTimes } from './session-times';

/**
 * What is decided at a session's start and holds until its end, stored as JSON with the slot. Changed settings, policies and
 * profiles apply to new sessions only.
 */
const sessionGrant = z.object({
  contentId: z.string(),
  contentType: z.enum(['vod', 'live']),
  drmSystem: z.enum(['widevine', 'playready', 'fairplay', 'wiseplay']),
  /** The manifest types that the player accepts; null: any. */
  manifestTypes: z.array(z.string()).nullable(),
  policy: signedPolicy,
  /** The name of the policy's template; null for a custom policy. */
  template: z.string().nullable(),
  /** The session's times, from the environment's settings. */
  times: z.object({
    lifetimeMilliseconds: z.number(),
    tokenLifetimeMilliseconds: z.number(),
    maximumSessionMilliseconds: z.number(),
    renewalIntervalSeconds: z.number(),
    hasHeartbeat: z.boolean(),
  } satisfies { [Name in keyof SessionTimes]: z.ZodType<SessionTimes[Name]> }),
});

export type SessionGrant = z.infer<typeof sessionGrant>;

const timesOfGrant = sessionGrant.pick({ times: true });

/** Parses the grant stored with a session. */
export function parseGrant(json: string): SessionGrant {
  return sessionGrant.parse(JSON.parse(json));
}

/** Parses only the times of a stored grant, for callers that have the policy from a license token. */
export function parseGrantTimes(json: string): SessionTimes {
  return timesOfGrant.parse(JSON.parse(json)).times;
}
