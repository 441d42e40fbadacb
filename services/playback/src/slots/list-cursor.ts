import { bucketHashTag, bucketsOfEnvironment, subjectHashTag } from '@multi-drm/contracts';
import { z } from 'zod';
import { readLiveMember } from './keys';
import { InvalidCursor } from './slot-store';

/** Where a page of an environment's sessions ended. */
export interface EnvironmentPosition {
  bucket: number;
  /** Of the bucket's `live` key. */
  member: string;
}

const environmentCursor = z.tuple([
  z.literal('environment'),
  z.string(),
  z.int().min(0).lt(bucketsOfEnvironment),
  z.string(),
]);
const subjectCursor = z.tuple([z.literal('subject'), z.string(), z.string(), z.int().min(0)]);

/** The cursor that continues an environment's list behind a session. */
export function environmentCursorAt(environmentId: string, { bucket, member }: EnvironmentPosition): string {
  return encode(['environment', environmentId, bucket, member]);
}

/** Reads a cursor of this environment's list. Throws InvalidCursor for any other text. */
export function readEnvironmentCursor(environmentId: string, cursor: string): EnvironmentPosition {
  const [, owner, bucket, member] = decode(environmentCursor, cursor);
  if (owner !== environmentId) throw new InvalidCursor('the cursor is one of another list');
  const { subject } = readLiveMember(member);
  if (bucketHashTag(environmentId, bucket) !== subjectHashTag(environmentId, subject)) {
    throw new InvalidCursor('no list gave out this cursor');
  }
  return { bucket, member };
}

/** The cursor that continues a subject's list behind the session with this start, in microseconds since 1970. */
export function subjectCursorAt(environmentId: string, subject: string, startedAt: number): string {
  return encode(['subject', environmentId, subject, startedAt]);
}

/** Reads a cursor of this subject's list to a start. Throws InvalidCursor for any other text. */
export function readSubjectCursor(environmentId: string, subject: string, cursor: string): number {
  const [, environment, owner, startedAt] = decode(subjectCursor, cursor);
  if (environment !== environmentId || owner !== subject) throw new InvalidCursor('the cursor is one of another list');
  return startedAt;
}

function encode(values: (string | number)[]): string {
  return Buffer.from(JSON.stringify(values), 'utf8').toString('base64url');
}

function decode<T>(schema: z.ZodType<T>, cursor: string): T {
  try {
    const bytes = Buffer.from(cursor, 'base64url');
    // What decodes alike is not the same: a page gives out one spelling alone.
    if (bytes.toString('base64url') !== cursor) throw new InvalidCursor('the cursor is no base64url');
    return schema.parse(JSON.parse(bytes.toString('utf8')));
  } catch (cause) {
    throw new InvalidCursor('no list gave out this cursor', { cause });
  }
}
