import { z } from 'zod';

/**
 * The documents that the control plane publishes to Redis and playback reads. Unknown members are dropped when one is
 * read, so that a newer control plane can add members under an older playback.
 */

const drmSystem = z.enum(['widevine', 'playready', 'fairplay', 'wiseplay']);
const trackType = z.enum(['AUDIO', 'SD', 'HD', 'UHD1', 'UHD2']);

export const organizationDocument = z.object({
  organizationId: z.uuid(),
  status: z.enum(['active', 'suspended']),
});

export const environmentDocument = z.object({
  environmentId: z.uuid(),
  projectId: z.uuid(),
  organizationId: z.uuid(),
  kind: z.enum(['development', 'staging', 'production']),
  settings: z.object({
    defaultLicensePolicyTemplate: z.string().nullable(),
    sessionLifetimeSeconds: z.int().positive(),
    maximumConcurrentStreams: z.int().positive().nullable(),
  }),
  drmSystems: z.array(z.object({ drmSystem, enabled: z.boolean(), backend: z.string().nullable() })),
});

export const contentDocument = z.object({
  contentAssetId: z.uuid(),
  environmentId: z.uuid(),
  contentId: z.string(),
  kind: z.enum(['vod', 'live', 'audio', 'document']),
  status: z.enum(['draft', 'published']),
  manifests: z.array(z.object({ type: z.string(), url: z.string(), drmSystems: z.array(drmSystem) })),
  // A key id is any 128 bits in the form of a UUID (ISO/IEC 23001-7), whatever version they seem to have.
  keys: z.array(z.object({ keyId: z.guid(), trackTypes: z.array(trackType) })),
  audioLanguages: z.array(z.string()),
  subtitleLanguages: z.array(z.string()),
});

export const apiClientDocument = z.object({
  apiClientId: z.uuid(),
  clientId: z.string(),
  projectId: z.uuid(),
  organizationId: z.uuid(),
  /** SHA-256 of each valid access key, in hex. */
  accessKeyHashes: z.array(z.string().regex(/^[0-9a-f]{64}$/)),
  permissions: z.array(z.string()),
  /** The environments that it is limited to; null: every environment of its project. */
  environmentIds: z.array(z.uuid()).nullable(),
  expiresAt: z.iso.datetime().nullable(),
});

export type OrganizationDocument = z.infer<typeof organizationDocument>;
export type EnvironmentDocument = z.infer<typeof environmentDocument>;
export type ContentDocument = z.infer<typeof contentDocument>;
export type ApiClientDocument = z.infer<typeof apiClientDocument>;
