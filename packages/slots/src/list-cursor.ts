import type { SubjectBuckets } from '@multi-drm/contracts';
import { z } from 'zod';
import { readActiveMember } from './keys';
import { InvalidCursor } from './slot-store';

/** The position at which a page of an environment's sessions ended. */
export interface EnvironmentPosition {
  bucket: number;
  /** The member of the bucket's `active` key. */
  member: string;
}

// A cursor does not contain the bucket, which follows from the member: callers must not learn which viewers share a bucket.
const environmentCursor = z.tuple([z.literal('environment'), z.string(), z.string()]);
const subjectCursor = z.tuple([z.literal('subject'), z.string(), z.string(), z.int().min(0)]);

/** Returns the cursor that continues an environment's list after a session. */
export function environmentCursorAt(environmentId: string, { member }: Pick<EnvironmentPosition, 'member'>): string {
  return encode(['environment', environmentId, member]);
}

/** Parses a cursor of this environment's list. Throws InvalidCursor for any other text. */
export function readEnvironmentCursor(
  buckets: SubjectBuckets,
  environmentId: string,
  cursor: string,
): EnvironmentPosition {
  const [, owner, member] = decode(environmentCursor, cursor);
  if (owner !== environmentId) throw new InvalidCursor('the cursor belongs to another list');
  return { bucket: buckets.bucketOf(environmentId, readActiveMember(member).subject), member };
}

/** Returns the cursor that continues a subject's list after the session with this start, in microseconds since 1970. */
export function subjectCursorAt(environmentId: string, subject: string, startedAt: number): string {
  return encode(['subject', environmentId, subject, startedAt]);
}

/** Parses a cursor of this subject's list to a start time. Throws InvalidCursor for any other text. */
export function readSubjectCursor(environmentId: string, subject: string, cursor: string): number {
  const [, environment, owner, startedAt] = decode(subjectCursor, cursor);
  if (environment !== environmentId || owner !== subject) throw new InvalidCursor('the cursor belongs to another list');
  return startedAt;
}

function encode(values: (string | number)[]): string {
  return Buffer.from(JSON.stringify(values), 'utf8').toString('base64url');
}

function decode<T>(schema: z.ZodType<T>, cursor: string): T {
  try {
    const bytes = Buffer.from(cursor, 'base64url');
    // Different texts can decode to the same bytes, but a page returns only the canonical one.
    if (bytes.toString('base64url') !== cursor) throw new InvalidCursor('the cursor is not canonical base64url');
    return schema.parse(JSON.parse(bytes.toString('utf8')));
  } catch (cause) {
    throw new InvalidCursor('no list returned this cursor', { cause });
  }
}
