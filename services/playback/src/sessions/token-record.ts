import { type SignedPolicy, signedPolicy } from '@multi-drm/policy';
import type { Reservation, SessionDetails, StoredDetails } from '@multi-drm/slots';
import { z } from 'zod';
import type { LicenseToken } from '../tokens/license-token';
import type { SessionGrant } from './session-grant';

/** A part of a session's record, as it was when the token was signed that describes it. */
export interface TokenRecord {
  startedAt: Date;
  /** When the session ends unless it is renewed. */
  expiresAt: Date;
  grant: SessionGrant;
  /** Without `reporting`: it can be large, and is meant for the customer only. */
  details: StoredDetails;
}

/** The version of the list's layout. A record of another version is not read. */
const layoutVersion = 2;

const text = z.string().nullable();
const record = z.tuple([
  z.literal(layoutVersion),
  // startedAt and expiresAt
  z.int(),
  z.int(),
  // The details that have no claim of their own: contentType, applicationId, clientPlatform, attemptId
  z.enum(['vod', 'live']),
  text,
  text,
  text,
  // The grant without its policy: manifestTypes, template and times
  z.array(z.string()).nullable(),
  text,
  z.number(),
  z.number(),
  z.number(),
  z.number(),
  z.boolean(),
  // The grant's policy, if it is not that of the token
  signedPolicy.nullable(),
]);

/**
 * Lists the values of the claim `rec`: what other claims do not have. `details` may have `reporting`, which is left out. `tokenPolicy`:
 * the one in the token, which is that of the grant except after a repeated create.
 */
export function tokenRecordOf(
  { startedAt, expiresAt }: Pick<Reservation, 'startedAt' | 'expiresAt'>,
  { manifestTypes, template, times, policy }: SessionGrant,
  { contentType, applicationId, clientPlatform, attemptId }: SessionDetails,
  tokenPolicy: SignedPolicy,
): z.infer<typeof record> {
  return [
    layoutVersion,
    startedAt.getTime(),
    expiresAt.getTime(),
    contentType,
    applicationId ?? null,
    clientPlatform ?? null,
    attemptId ?? null,
    manifestTypes,
    template,
    times.lifetimeMilliseconds,
    times.tokenLifetimeMilliseconds,
    times.maximumSessionMilliseconds,
    times.renewalIntervalSeconds,
    times.hasHeartbeat,
    policy === tokenPolicy ? null : policy,
  ];
}

/** The first values of a record. */
const describedDetails = z
  .tuple([z.literal(layoutVersion), z.int(), z.int(), z.enum(['vod', 'live']), text, text])
  .rest(z.unknown());

/** Reads only some details of the session that a token describes; null for what it does not carry. */
export function readTokenDetails({ record: values, contentId, drmSystem }: LicenseToken) {
  const { data = [] } = describedDetails.safeParse(values);
  const [, , , contentType = null, applicationId = null, clientPlatform = null] = data;
  return { contentId, contentType, drmSystem, applicationId, clientPlatform };
}

/** Reads the record that a token describes; null if it carries none, or one of another version of the service. */
export function readTokenRecord({
  record: values,
  contentId,
  drmSystem,
  policy: tokenPolicy,
}: Pick<LicenseToken, 'record' | 'contentId' | 'drmSystem' | 'policy'>): TokenRecord | null {
  if (values?.[0] !== layoutVersion) return null;
  const [, startedAt, expiresAt, contentType, applicationId, clientPlatform, attemptId, ...granted] =
    record.parse(values);
  const [manifestTypes, template, lifetime, tokenLifetime, maximumSession, renewalInterval, hasHeartbeat, own] =
    granted;
  const policy = own ?? tokenPolicy;
  const times = {
    lifetimeMilliseconds: lifetime,
    tokenLifetimeMilliseconds: tokenLifetime,
    maximumSessionMilliseconds: maximumSession,
    renewalIntervalSeconds: renewalInterval,
    hasHeartbeat,
  };
  return {
    startedAt: new Date(startedAt),
    expiresAt: new Date(expiresAt),
    grant: { contentId, contentType, drmSystem, manifestTypes, policy, template, times },
    details: { contentId, contentType, drmSystem, applicationId, clientPlatform, attemptId, reporting: null },
  };
}
