import { subjectHashTag } from './subject-hash-tag';

/**
 * Redis keys of the published documents. Each is a hash with two fields: `revision` (a positive integer that only
 * grows) and `document` (JSON, or empty for a tombstone). The braces are the Redis Cluster hash tag.
 */
export const publishedKeys = {
  /** Says how far everything is published: without it nothing is. */
  deployment: 'published:deployment',
  /** Says that everything of the project is published. */
  project: (projectId: string): string => `published:project:{${projectId}}`,
  organization: (organizationId: string): string => `published:organization:{${organizationId}}`,
  environment: (environmentId: string): string => `published:environment:{${environmentId}}`,
  licenseBackend: (environmentId: string, drmSystem: string): string =>
    `published:license-backend:{${environmentId}}:${drmSystem}`,
  content: (environmentId: string, contentId: string): string => `published:content:{${environmentId}}:${contentId}`,
  licenseProfile: (projectId: string, name: string): string => `published:license-profile:{${projectId}}:${name}`,
  /** Lies with the viewer's slots. There for those alone that are blocked or have a limit of their own. */
  endUser: (environmentId: string, subject: string): string =>
    `published:end-user:${subjectHashTag(environmentId, subject)}:${subject}`,
  apiClient: (clientId: string): string => `published:api-client:{${clientId}}`,
} as const;

/** Redis channel on which the key of every document that changed is published. */
export const publishedChangesChannel = 'published:changes';

/**
 * Redis key under which playback tells the control plane when API clients were last let in: a sorted set of client ids,
 * each with milliseconds since 1970 by the clock of Redis. What was copied to the database leaves it.
 */
export const apiClientUsesKey = 'api-client-uses';

/**
 * Redis key of the live sessions of one bucket of an environment, by the bucket's hash tag: a sorted set of sessions, each
 * with the end of its slot in milliseconds since 1970 by the clock of Redis. Playback keeps it; what has ended by time
 * may still lie there. The control plane counts it.
 */
export function liveSessionsKey(hashTag: string): string {
  return `session:${hashTag}:live`;
}
