import { z } from 'zod';
import { pack, unpack } from './message-pack';
import type { SessionDetails, StoredDetails } from './slot-store';

const contentTypes = ['vod', 'live'] as const;
const drmSystems = ['widevine', 'playready', 'fairplay', 'wiseplay'] as const;

const packedDetails = z
  .tuple([
    z.string(),
    indexOf(contentTypes),
    indexOf(drmSystems),
    z.string().nullable(),
    z.string().nullable(),
    z.string().nullable(),
    z.string().nullable(),
  ])
  .transform(([contentId, contentType, drmSystem, applicationId, clientPlatform, attemptId, reporting]) => ({
    contentId,
    contentType,
    drmSystem,
    applicationId,
    clientPlatform,
    attemptId,
    reporting: reporting === null ? null : z.record(z.string(), z.unknown()).parse(JSON.parse(reporting)),
  }));

/** Packs a session's details by position. The customer's own data stays JSON: it may be nested as deep as its size allows. */
export function packDetails(details: SessionDetails): Buffer {
  const { contentId, contentType, drmSystem, applicationId, clientPlatform, attemptId, reporting } = details;
  return pack([
    contentId,
    contentTypes.indexOf(contentType),
    drmSystems.indexOf(drmSystem),
    applicationId ?? null,
    clientPlatform ?? null,
    attemptId ?? null,
    reporting ? JSON.stringify(reporting) : null,
  ]);
}

/** Reads packed details; throws an error for anything else. */
export function readDetails(bytes: Uint8Array): StoredDetails {
  return packedDetails.parse(unpack(bytes));
}

/** A value stored as its place in a list, which must not change. */
function indexOf<Value>(values: readonly Value[]) {
  return z.int().transform((index, context) => {
    const value = values[index];
    if (value !== undefined) return value;
    context.addIssue('is not the place of a value');
    return z.NEVER;
  });
}
