import { drmSystems } from '@multi-drm/contracts';
import { pack, unpack } from './message-pack';
import type { SessionDetails, StoredDetails } from './slot-store';

/** A content type is stored as its place in this list. */
export const contentTypes = ['vod', 'live'] as const;

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

/** Reads packed details; throws a TypeError for anything else. Uses no schema, which took half of the time of a list. */
export function readDetails(bytes: Uint8Array): StoredDetails {
  const values = unpack(bytes);
  if (!Array.isArray(values) || values.length !== 7) throw new TypeError('not the details of a session');
  const [contentId, contentType, drmSystem, applicationId, clientPlatform, attemptId, reporting] = values;
  const json = textOrNull(reporting);
  return {
    contentId: text(contentId),
    contentType: valueAt(contentTypes, contentType),
    drmSystem: valueAt(drmSystems, drmSystem),
    applicationId: textOrNull(applicationId),
    clientPlatform: textOrNull(clientPlatform),
    attemptId: textOrNull(attemptId),
    reporting: json === null ? null : objectOf(json),
  };
}

function text(value: unknown): string {
  if (typeof value !== 'string') throw new TypeError('not a text');
  return value;
}

const textOrNull = (value: unknown): string | null => (value === null ? null : text(value));

/** Reads a value that is stored as its place in a list. The order of the list must not change. */
function valueAt<Value>(values: readonly Value[], place: unknown): Value {
  const value = typeof place === 'number' ? values[place] : undefined;
  if (value === undefined) throw new TypeError('not the place of a value');
  return value;
}

function objectOf(json: string): Record<string, unknown> {
  const value: unknown = JSON.parse(json);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new TypeError('not an object');
  return value as Record<string, unknown>;
}
