import { z } from 'zod';
import { drmSystems, trackTypes } from '../listed-values';

/**
 * Documents that the control plane publishes to Redis for playback. Unknown members are dropped when a document is
 * read, so that a newer control plane can add members before playback is updated.
 */

const drmSystem = z.enum(drmSystems);
const trackType = z.enum(trackTypes);
/** Ciphertext of `Secrets` in the service kit. Plaintext does not match, so it is never published. */
const encryptedSecret = z.string().regex(/^v\d+\.[\w-]{1,64}\./, 'must be encrypted');
const backendSettings = z.record(z.string(), z.union([z.string(), z.record(z.string(), z.string())]));

/**
 * The format of what is published: the names of the keys and what they mean. A document under a former name would not be
 * found, so a blocked viewer could play. Whoever changes a name raises the number, and everything is published again.
 */
export const publishedFormat = 4;

/** How much has been published. Missing if Redis was emptied. */
export const deploymentDocument = z.object({
  /** {@link publishedFormat} of whoever publishes; absent in the first format. Of another format, nothing is used. */
  format: z.int().default(1),
  /** Changes each time Redis has to be refilled; completeness marks of another generation are void. */
  generation: z.string(),
  /**
   * `nothing`: no project is complete. `some`: some are. `all`: every environment and API client is published, so an
   * unknown id does not exist; whether a project is complete is in its own document.
   */
  published: z.enum(['nothing', 'some', 'all']),
  /**
   * The key of `SubjectBuckets`: 32 bytes in base64url. The names of all keys with a viewer depend on it. In Redis it is encrypted
   * (`HashKeySeal`) if the control plane has `SECRET_KEYS`. Null if it is absent, malformed or not decrypted; then nothing is used.
   */
  subjectHashKey: z
    .string()
    .regex(/^[\w-]{43}$/)
    .nullable()
    .catch(null),
});

/**
 * Texts by which playback finds out whether it has the same `SECRET_KEYS`: one for each key of the control plane, encrypted with it for
 * `secretPlaces.secretKeyProbe`.
 */
export const secretKeysDocument = z.object({ probes: z.array(encryptedSecret).min(1) });

/** Says that the whole project has been published, for this generation only. */
export const projectDocument = z.object({ projectId: z.uuid(), generation: z.string() });

export const organizationDocument = z.object({
  organizationId: z.uuid(),
  status: z.enum(['pending', 'active', 'suspended']),
  /** The plan's limit of concurrent streams; null for no limit. */
  maximumConcurrentStreams: z.int().nonnegative().nullable(),
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
    heartbeatSeconds: z.int().positive().nullable(),
    maximumSessionSeconds: z.int().positive(),
    licenseTokenLifetimeSeconds: z.int().positive().nullable(),
    allowedOrigins: z.array(z.string()),
    trackTypeHeights: z.object({ SD: z.int(), HD: z.int(), UHD1: z.int(), UHD2: z.int() }),
  }),
  drmSystems: z.array(z.object({ drmSystem, enabled: z.boolean(), backend: z.string().nullable() })),
});

/** The settings of a DRM system in an environment, and its license backend. */
export const licenseBackendDocument = z.object({
  environmentId: z.uuid(),
  drmSystem,
  enabled: z.boolean(),
  backend: z
    .object({
      type: z.string(),
      /** The settings that are not secret, as in the API: strings and header maps. */
      settings: backendSettings,
      /** The secret settings by name, each encrypted for `secretPlaces.licenseBackend`; header maps as JSON. */
      encryptedSecrets: z.record(z.string(), encryptedSecret),
    })
    .nullable(),
  /** FairPlay's application certificate, DER in base64. */
  certificate: z.string().nullable(),
  /** Changes with every change of the configuration, but not when secrets are re-encrypted under another key. */
  settingsVersion: z.string(),
});

export const contentDocument = z.object({
  contentAssetId: z.uuid(),
  environmentId: z.uuid(),
  contentId: z.string(),
  kind: z.enum(['vod', 'live', 'audio', 'document']),
  status: z.enum(['draft', 'published']),
  manifests: z.array(z.object({ type: z.string(), url: z.string(), drmSystems: z.array(drmSystem) })),
  // A key id is any 128 bits in the form of a UUID (ISO/IEC 23001-7), so its version does not matter.
  keys: z.array(
    z.object({
      keyId: z.guid(),
      trackTypes: z.array(trackType),
      /** The content key, if stored for `clearkey`: 32 hexadecimal digits, encrypted for `secretPlaces.contentKey`. */
      encryptedKey: encryptedSecret.nullable(),
    }),
  ),
  audioLanguages: z.array(z.string()),
  subtitleLanguages: z.array(z.string()),
  /** Name of the license profile that limits every session (the ceiling); null for none. */
  licenseProfileName: z.string().nullable(),
});

export const apiClientDocument = z.object({
  apiClientId: z.uuid(),
  clientId: z.string(),
  projectId: z.uuid(),
  organizationId: z.uuid(),
  /** SHA-256 of each valid access key, in hexadecimal. */
  accessKeyHashes: z.array(z.string().regex(/^[0-9a-f]{64}$/)),
  /** The previous access key, while it is still valid after a rotation. */
  previousAccessKey: z.object({ hash: z.string().regex(/^[0-9a-f]{64}$/), validUntil: z.iso.datetime() }).nullable(),
  permissions: z.array(z.string()),
  /** The environments it may use; null for all environments of its project. */
  environmentIds: z.array(z.uuid()).nullable(),
  expiresAt: z.iso.datetime().nullable(),
});

/** Security level and output protection for some track types (`TrackPolicy` of the OpenAPI documents). */
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

/** A license profile with its rights; null means no restriction. */
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
 * A synchronized viewer that is blocked or has its own stream limit, published for each environment of its project.
 * Other viewers play as if they had not been synchronized. Does not name the viewer: the key has its hash.
 */
export const endUserDocument = z.object({
  userId: z.uuid(),
  environmentId: z.uuid(),
  status: z.enum(['active', 'blocked']),
  /** Maximum concurrent streams; null for the limit of the policy or environment. */
  maximumConcurrentStreams: z.int().positive().nullable(),
});

export type LicenseBackendDocument = z.infer<typeof licenseBackendDocument>;
export type LicenseProfileDocument = z.infer<typeof licenseProfileDocument>;
export type EndUserDocument = z.infer<typeof endUserDocument>;
export type DeploymentDocument = z.infer<typeof deploymentDocument>;
export type SecretKeysDocument = z.infer<typeof secretKeysDocument>;
export type ProjectDocument = z.infer<typeof projectDocument>;
export type OrganizationDocument = z.infer<typeof organizationDocument>;
export type EnvironmentDocument = z.infer<typeof environmentDocument>;
export type ContentDocument = z.infer<typeof contentDocument>;
export type ApiClientDocument = z.infer<typeof apiClientDocument>;

/** The document of a deployment whose documents can be used. */
export type PublishedDeployment = DeploymentDocument & { subjectHashKey: string };

/** Returns null for a deployment that is published in another format, or without a key: its documents may have other names. */
export function asPublishedDeployment(deployment: DeploymentDocument | null): PublishedDeployment | null {
  if (deployment?.format !== publishedFormat || deployment.subjectHashKey === null) return null;
  // The document itself, so that an unchanged one stays the same object.
  return deployment as PublishedDeployment;
}

/** Reads the text of a document. Null if there is none, or if it is not JSON of this form: another version may have written it. */
export function readDocument<Schema extends z.ZodType>(
  schema: Schema,
  text: string | null | undefined,
): z.output<Schema> | null {
  try {
    return schema.safeParse(JSON.parse(text ?? 'null')).data ?? null;
  } catch {
    return null; // no JSON
  }
}
