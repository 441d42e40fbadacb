import { signedPolicy } from '@multi-drm/contracts';
import { z } from 'zod';
import type { SessionTimes } from './session-times';

/**
 * What was agreed at a session's start and holds for all of its life, kept as JSON with its slot: changed settings,
 * policies and profiles apply to new sessions alone.
 */
const sessionTerms = z.object({
  contentId: z.string(),
  contentType: z.enum(['vod', 'live']),
  drmSystem: z.enum(['widevine', 'playready', 'fairplay', 'wiseplay']),
  /** What the player takes; null: any. */
  manifestTypes: z.array(z.string()).nullable(),
  policy: signedPolicy,
  /** The name of the policy's template. Absent from sessions that began before it was kept: their `policy` has the name. */
  template: z.string().nullable().optional(),
  /** What the environment's settings said of the session's times. */
  times: z.object({
    lifetimeMilliseconds: z.number(),
    tokenLifetimeMilliseconds: z.number(),
    maximumSessionMilliseconds: z.number(),
    renewalIntervalSeconds: z.number(),
    /** Absent from sessions that began before it was kept: their licenses end with `expiresAt`, which is never too long. */
    hasHeartbeat: z.boolean().default(false),
  } satisfies { [Name in keyof SessionTimes]: z.ZodType<SessionTimes[Name]> }),
});

export type SessionTerms = z.infer<typeof sessionTerms>;

/** Reads terms that were kept with a session. */
export function parseTerms(json: string): SessionTerms {
  return sessionTerms.parse(JSON.parse(json));
}
