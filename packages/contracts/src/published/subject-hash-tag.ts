import { crc32 } from 'node:zlib';

const buckets = 256;

/**
 * The Redis Cluster hash tag under which all keys of one viewer of one environment lie together: `{environmentId:bucket}`
 * with bucket = CRC-32 of the subject's UTF-8 modulo 256, so that an environment spreads over a cluster's nodes.
 */
export function subjectHashTag(environmentId: string, subject: string): string {
  return `{${environmentId}:${crc32(Buffer.from(subject, 'utf8')) % buckets}}`;
}
