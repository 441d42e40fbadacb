import { z } from 'zod';

/**
 * The documents that the control plane publishes to Redis and playback reads. Unknown members are dropped when one is
 * read, so that a newer control plane can add members under an older playback.
 */

const drmSystem = z.enum(['widevine', 'playready', 'fairplay', 'wiseplay']);
const trackType = z.enum(['AUDIO', 'SD', 'HD', 'UHD1', 'UHD2']);
/** Text of `Secrets` in the service kit. What is not encrypted is no such text, and is never published. */
const encryptedSecret = z.string().regex(/^v\d+\.[\w-]{1,64}\./, 'must be encrypted');
const backendSettings = z.record(z.string(), z.union([z.string(), z.record(z.string(), z.string())]));

/** How far everything is published. Redis that was emptied has none. */
export const deploymentDocument = z.object({
  /** Another text each time that Redis has to be filled anew: what was said of another one does not count. */
  generation: z.string(),
  /**
   * `nothing`: no project is complete. `some`: some are. `all`: every environment and API client is there, so that an id
   * that is not there does not exist; of each project its own document says whether it is complete.
   */
  published: z.enum(['nothing', 'some', 'all']),
});

/** Everything of the project is published; of its generation alone. */
export const projectDocument = z.object({ projectId: z.uuid(), generation: z.string() });

export const organizationDocument = z.object({
  organizationId: z.uuid(),
  status: z.enum(['pending', 'active', 'suspended']),
  /** The plan's limit of concurrent streams; null: none. */
  maximumConcurrentStreams: z.int().nonnegative().nullable().default(null),
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
    heartbeatSeconds: z.int().positive().nullable().default(null),
    maximumSessionSeconds: z.int().positive().default(86_400),
    licenseTokenLifetimeSeconds: z.int().positive().nullable().default(null),
    allowedOrigins: z.array(z.string()).default(['*']),
    trackTypeHeights: z
      .object({ SD: z.int(), HD: z.int(), UHD1: z.int(), UHD2: z.int() })
      .default({ SD: 576, HD: 1080, UHD1: 2160, UHD2: 4320 }),
  }),
  drmSystems: z.array(z.object({ drmSystem, enabled: z.boolean(), backend: z.string().nullable() })),
});

/** How a DRM system works in an environment, and where its licenses come from. */
export const licenseBackendDocument = z.object({
  environmentId: z.uuid(),
  drmSystem,
  enabled: z.boolean(),
  backend: z
    .object({
      type: z.string(),
      /** The settings that are no secrets, as the API takes them: texts, and maps of headers. */
      settings: backendSettings,
      /** The others by name, each encrypted for `secretPlaces.licenseBackend`; a map of headers as JSON. */
      encryptedSecrets: z.record(z.string(), encryptedSecret),
    })
    .nullable(),
  /** FairPlay's application certificate, base64 of DER. */
  certificate: z.string().nullable(),
  /** Another text whenever anything of this was configured anew; the same where secrets went under another key. */
  settingsVersion: z.string(),
});

export const contentDocument = z.object({
  contentAssetId: z.uuid(),
  environmentId: z.uuid(),
  contentId: z.string(),
  kind: z.enum(['vod', 'live', 'audio', 'document']),
  status: z.enum(['draft', 'published']),
  manifests: z.array(z.object({ type: z.string(), url: z.string(), drmSystems: z.array(drmSystem) })),
  // A key id is any 128 bits in the form of a UUID (ISO/IEC 23001-7), whatever version they seem to have.
  keys: z.array(
    z.object({
      keyId: z.guid(),
      trackTypes: z.array(trackType),
      /** The content key where one is kept for `clearkey`: 32 hex digits, encrypted for `secretPlaces.contentKey`. */
      encryptedKey: encryptedSecret.nullable().default(null),
    }),
  ),
  audioLanguages: z.array(z.string()),
  subtitleLanguages: z.array(z.string()),
  /** Name of the license profile that is a ceiling for every session; null: none. */
  licenseProfileName: z.string().nullable().default(null),
});

export const apiClientDocument = z.object({
  apiClientId: z.uuid(),
  clientId: z.string(),
  projectId: z.uuid(),
  organizationId: z.uuid(),
  /** SHA-256 of each valid access key, in hex. */
  accessKeyHashes: z.array(z.string().regex(/^[0-9a-f]{64}$/)),
  /** The access key before the present one, for the overlap of a rotation. */
  previousAccessKey: z
    .object({ hash: z.string().regex(/^[0-9a-f]{64}$/), validUntil: z.iso.datetime() })
    .nullable()
    .default(null),
  permissions: z.array(z.string()),
  /** The environments that it is limited to; null: every environment of its project. */
  environmentIds: z.array(z.uuid()).nullable(),
  expiresAt: z.iso.datetime().nullable(),
});

/** Security level and output protection of some track types (`TrackPolicy` of the OpenAPI documents). */
export const trackPolicy = z.object({
  trackTypes: z.array(trackType).min(1),
  widevine: z
    .object({
      securityLevel: z.int(),
      hdcp: z.enum(['none', '1.0', '1.1', '1.2', '1.3', '1.4', '2.0', '2.1', '2.2', '2.3']),
    })
    .exactOptional(),
  playready: z
    .object({
      securityLevel: z.literal([150, 2000, 3000]),
      outputProtection: z.enum(['none', 'hdcp', 'hdcp-type1']),
    })
    .exactOptional(),
  fairplay: z.object({ hdcp: z.enum(['none', 'type0', 'type1']) }).exactOptional(),
  wiseplay: z.object({ securityLevel: z.int(), outputControl: z.int() }).exactOptional(),
});

/** A license profile with its rights; null: no such restriction. */
export const licenseProfileDocument = z.object({
  licenseProfileId: z.uuid(),
  projectId: z.uuid(),
  name: z.string(),
  maximumHeight: z.int().positive(),
  tracks: z.array(trackPolicy),
  rights: z
    .object({
      maximumConcurrentStreams: z.int().positive().nullable(),
      atStreamLimit: z.enum(['reject', 'evict-oldest']),
      licenseDurationSeconds: z.int().positive().nullable(),
      playbackDurationSeconds: z.int().positive().nullable(),
      availableFrom: z.iso.datetime().nullable(),
      availableUntil: z.iso.datetime().nullable(),
      allowedClientPlatforms: z.array(z.string()).nullable(),
    })
    .nullable(),
});

/**
 * A synchronized viewer that is blocked or has a limit of its own, published for each environment of its project. Any other
 * one plays as if nobody had synchronized it.
 */
export const endUserDocument = z.object({
  userId: z.uuid(),
  environmentId: z.uuid(),
  subject: z.string(),
  status: z.enum(['active', 'blocked']),
  /** Streams at once; null: the policy's or the environment's. */
  maximumConcurrentStreams: z.int().positive().nullable(),
});

export type LicenseBackendDocument = z.infer<typeof licenseBackendDocument>;
export type LicenseProfileDocument = z.infer<typeof licenseProfileDocument>;
export type EndUserDocument = z.infer<typeof endUserDocument>;
export type DeploymentDocument = z.infer<typeof deploymentDocument>;
export type ProjectDocument = z.infer<typeof projectDocument>;
export type OrganizationDocument = z.infer<typeof organizationDocument>;
export type EnvironmentDocument = z.infer<typeof environmentDocument>;
export type ContentDocument = z.infer<typeof contentDocument>;
export type ApiClientDocument = z.infer<typeof apiClientDocument>;
