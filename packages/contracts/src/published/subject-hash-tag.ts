import { crc32 } from 'node:zlib';

/** Number of buckets over which an environment's subjects are spread. */
export const bucketsOfEnvironment = 256;

/** Returns the Redis Cluster hash tag of one bucket of an environment, from 0 to {@link bucketsOfEnvironment} - 1. */
export function bucketHashTag(environmentId: string, bucket: number): string {
  return `{${environmentId}:${bucket}}`;
}

/**
 * Returns the Redis Cluster hash tag shared by all keys of one viewer in one environment: `{environmentId:bucket}`,
 * where the bucket is the CRC-32 of the subject's UTF-8 modulo 256. An environment thus spreads over the nodes of a
 * cluster.
 */
export function subjectHashTag(environmentId: string, subject: string): string {
  return bucketHashTag(environmentId, crc32(Buffer.from(subject, 'utf8')) % bucketsOfEnvironment);
}
