import { crc32 } from 'node:zlib';

/** Number of buckets over which the viewers of all environments of a deployment are spread. */
export const bucketsOfDeployment = 1024;

/** Returns the Redis Cluster hash tag of one bucket, from 0 to {@link bucketsOfDeployment} - 1. */
export function bucketHashTag(bucket: number): string {
  return `{${bucket}}`;
}

/** Returns the CRC-32 of `environmentId:subject` in UTF-8, by which the viewers are spread. */
export function checksumOfSubject(environmentId: string, subject: string): number {
  return crc32(Buffer.from(`${environmentId}:${subject}`, 'utf8'));
}

/** Returns the bucket of a viewer with this checksum. */
export function bucketOfChecksum(checksum: number): number {
  return checksum % bucketsOfDeployment;
}

/**
 * Returns the bucket of a viewer: its checksum modulo 1,024. An environment thus spreads over the nodes of a cluster, and
 * many small environments share the same buckets.
 */
export function bucketOfSubject(environmentId: string, subject: string): number {
  return bucketOfChecksum(checksumOfSubject(environmentId, subject));
}

/** Returns the Redis Cluster hash tag shared by all keys of one viewer in one environment. */
export function subjectHashTag(environmentId: string, subject: string): string {
  return bucketHashTag(bucketOfSubject(environmentId, subject));
}
