import { bucketHashTag, bucketOfChecksum, checksumOfHash } from './subject-buckets';

/**
 * Redis keys of the published documents. Each is a hash with two fields: `revision` (a positive integer that only
 * grows) and `document` (JSON, or empty for a tombstone). The braces are the Redis Cluster hash tag.
 */
export const publishedKeys = {
  /**
   * How much has been published; without it, nothing has. Instead of a revision it has a `mark`, which each publication raises once its
   * documents are written: a Redis with a lower mark than before has lost publications.
   */
  deployment: 'published:deployment',
  /** By which playback finds out whether it has the same `SECRET_KEYS`. Has no revision. */
  secretKeys: 'published:secret-keys',
  /** Says that the whole project has been published. */
  project: (projectId: string): string => `published:project:{${projectId}}`,
  organization: (organizationId: string): string => `published:organization:{${organizationId}}`,
  environment: (environmentId: string): string => `published:environment:{${environmentId}}`,
  licenseBackend: (environmentId: string, drmSystem: string): string =>
    `published:license-backend:{${environmentId}}:${drmSystem}`,
  content: (environmentId: string, contentId: string): string => `published:content:{${environmentId}}:${contentId}`,
  licenseProfile: (projectId: string, name: string): string => `published:license-profile:{${projectId}}:${name}`,
  /**
   * By `hashOf` of the viewer's buckets, so that nothing published names a person; with the hash tag of the viewer's slots. Exists only
   * if the viewer is blocked or has its own stream limit.
   */
  endUser: (environmentId: string, subjectHash: string): string =>
    `published:viewer:${bucketHashTag(bucketOfChecksum(checksumOfHash(subjectHash)))}:${environmentId}:${subjectHash}`,
  apiClient: (clientId: string): string => `published:api-client:{${clientId}}`,
} as const;

/** With what the keys of end users began in former formats, which named the subject. */
export const formerEndUserKeyStart = 'published:end-user:';

/** Redis channel that receives the key of every changed document. */
export const publishedChangesChannel = 'published:changes';

/** Redis channel that receives each new mark of the deployment, in decimal. */
export const publicationMarkChannel = 'published:mark';

/**
 * Redis key with which playback reports to the control plane when API clients were last used: a sorted set of
 * `apiClientUse`, scored by milliseconds since 1970 on the clock of Redis. Entries are removed once they are copied to
 * the database.
 */
export const apiClientUsesKey = 'api-client-uses';

/** How many characters of an access key's SHA-256 in hex identify it among the keys of its API client. */
export const accessKeyDigestLength = 16;

/** A member of that set: the client id, and the beginning of the SHA-256 in hex of the access key that was used. */
export function apiClientUse(clientId: string, accessKeyHash: string): string {
  return `${clientId}:${accessKeyHash.slice(0, accessKeyDigestLength)}`;
}

/** The parts of a member. `accessKeyDigest`: empty in entries of versions that recorded only client ids. */
export function parseApiClientUse(use: string): { clientId: string; accessKeyDigest: string } {
  const [clientId = '', accessKeyDigest = ''] = use.split(':');
  return { clientId, accessKeyDigest };
}

/**
 * Redis key of the active sessions of an environment in one bucket, by the bucket's hash tag: a sorted set of sessions,
 * scored by the end of their slots in milliseconds since 1970 on the clock of Redis. Maintained by playback, counted by
 * the control plane. Expired sessions may still be in it.
 */
export function activeSessionsKey(hashTag: string, environmentId: string): string {
  return `active-sessions:${hashTag}:${environmentId}`;
}
