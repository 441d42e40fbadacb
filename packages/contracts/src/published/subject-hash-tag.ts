import { crc32 } from 'node:zlib';

/** Over so many buckets the subjects of an environment are spread. */
export const bucketsOfEnvironment = 256;

/** The Redis Cluster hash tag of one bucket, from 0 below {@link bucketsOfEnvironment}, of an environment. */
export function bucketHashTag(environmentId: string, bucket: number): string {
  return `{${environmentId}:${bucket}}`;
}

/**
 * The Redis Cluster hash tag under which all keys of one viewer of one environment lie together: `{environmentId:bucket}`
 * with bucket = CRC-32 of the subject's UTF-8 modulo 256, so that an environment spreads over a cluster's nodes.
 */
export function subjectHashTag(environmentId: string, subject: string): string {
  return bucketHashTag(environmentId, crc32(Buffer.from(subject, 'utf8')) % bucketsOfEnvironment);
}
