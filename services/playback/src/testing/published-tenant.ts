import { createHash, randomBytes, randomUUID } from 'node:crypto';
import {
  type ApiClientDocument,
  type ContentDocument,
  drmSystems,
  type EndUserDocument,
  type EnvironmentDocument,
  type OrganizationDocument,
  publicationMarkChannel,
  publishedChangesChannel,
  publishedFormat,
  publishedKeys,
} from '@multi-drm/contracts';
import { otherSettings } from '@multi-drm/policy/testing';
import type { RedisClient } from '@multi-drm/service-kit';
import { buckets, subjectHashKey } from '@multi-drm/slots/testing';

/** The published documents of a customer, with the credentials of its backend. */
export interface PublishedTenant {
  organization: OrganizationDocument;
  environment: EnvironmentDocument;
  client: ApiClientDocument;
  accessKey: string;
  content: ContentDocument;
}

/** A tenant with a development environment, a published video and an API client that may create sessions. */
export function makeTenant(settings: Partial<EnvironmentDocument['settings']> = {}): PublishedTenant {
  const organizationId = randomUUID();
  const projectId = randomUUID();
  const environmentId = randomUUID();
  const accessKey = `ak_${randomBytes(32).toString('base64url')}`;
  return {
    organization: { organizationId, status: 'active', maximumConcurrentStreams: null },
    environment: {
      environmentId,
      projectId,
      organizationId,
      kind: 'development',
      settings: {
        defaultLicensePolicyTemplate: 'single-software',
        sessionLifetimeSeconds: 14_400,
        maximumConcurrentStreams: 3,
        ...otherSettings,
        ...settings,
      },
      drmSystems: drmSystems.map((drmSystem) => ({ drmSystem, enabled: true, backend: 'http' })),
    },
    client: {
      apiClientId: randomUUID(),
      clientId: `ci_${randomBytes(16).toString('base64url')}`,
      projectId,
      organizationId,
      previousAccessKey: null,
      accessKeyHashes: [createHash('sha256').update(accessKey).digest('hex')],
      permissions: ['license-tokens:create', 'sessions:read', 'sessions:release'],
      environmentIds: null,
      expiresAt: null,
    },
    accessKey,
    content: makeContent(environmentId, 'lesson-0042'),
  };
}

/** A published video with a DASH and an HLS manifest, one key, and two audio languages. */
export function makeContent(environmentId: string, contentId: string): ContentDocument {
  return {
    contentAssetId: randomUUID(),
    environmentId,
    contentId,
    kind: 'vod',
    status: 'published',
    manifests: [
      { type: 'dash', url: 'https://cdn.example.com/42/manifest.mpd', drmSystems: ['widevine', 'playready'] },
      { type: 'hls', url: 'https://cdn.example.com/42/main.m3u8', drmSystems: ['fairplay'] },
    ],
    keys: [{ keyId: randomUUID(), trackTypes: ['SD', 'HD'], encryptedKey: null }],
    audioLanguages: ['en', 'de-CH'],
    subtitleLanguages: ['en'],
    licenseProfileName: null,
  };
}

let revision = 0;

/** By test client: the connection on which the service under test receives changes. */
const subscribers = new WeakMap<RedisClient, RedisClient>();

/** Makes `publish` with this client wait until the service has received the change on its own connection. */
export function waitForSubscriber(redis: RedisClient, subscriber: RedisClient): void {
  subscribers.set(redis, subscriber);
}

/** Writes a document as the control plane's publisher does, and sends the change message. Null: a tombstone. */
export async function publish(redis: RedisClient, key: string, document: unknown): Promise<void> {
  revision += 1;
  await redis.hset(key, { revision, document: document === null ? '' : JSON.stringify(document) });
  await announce(redis, publishedChangesChannel, key);
}

/** Raises the publication mark as the control plane's publisher does. */
export async function raiseMark(redis: RedisClient, mark: number): Promise<void> {
  await redis.hset(publishedKeys.deployment, { mark });
  await announce(redis, publicationMarkChannel, String(mark));
}

async function announce(redis: RedisClient, channel: string, message: string): Promise<void> {
  // On the connection of the subscriber, if there is one: the reply arrives after the message, also from a node of a cluster.
  const connection = subscribers.get(redis) ?? redis;
  // The service is ready before its subscriber is.
  while (connection.status !== 'ready') await new Promise<void>((resolve) => connection.once('ready', () => resolve()));
  await connection.publish(channel, message);
}

/** Publishes a synchronized viewer of a tenant's environment. */
export async function publishViewer(
  redis: RedisClient,
  { environment: { environmentId } }: PublishedTenant,
  { subject, ...viewer }: { subject: string } & Partial<EndUserDocument>,
): Promise<void> {
  const defaults = { userId: randomUUID(), environmentId, status: 'active', maximumConcurrentStreams: null };
  const key = publishedKeys.endUser(environmentId, buckets.hashOf(environmentId, subject));
  await publish(redis, key, { ...defaults, ...viewer });
}

/** The generation of everything that the tests publish, because the suites share one Redis. */
export const generation = 'tests';

/** The completeness mark of a deployment in which everything is published, so that a missing document means that its record does not exist. */
export const deployment = { format: publishedFormat, generation, published: 'all' as const, subjectHashKey };

/** Publishes the completeness mark of the deployment. */
export async function publishDeployment(redis: RedisClient): Promise<void> {
  await publish(redis, publishedKeys.deployment, deployment);
}

/** Publishes the completeness mark of the tenant's project. */
export async function publishProject(
  redis: RedisClient,
  { environment: { projectId } }: PublishedTenant,
): Promise<void> {
  await publish(redis, publishedKeys.project(projectId), { projectId, generation });
}

/** Publishes all documents of a tenant. */
export async function publishTenant(redis: RedisClient, tenant: PublishedTenant): Promise<void> {
  const { organization, environment, client, content } = tenant;
  await publishDeployment(redis);
  await publishProject(redis, tenant);
  await publish(redis, publishedKeys.organization(organization.organizationId), organization);
  await publish(redis, publishedKeys.environment(environment.environmentId), environment);
  await publish(redis, publishedKeys.apiClient(client.clientId), client);
  await publish(redis, publishedKeys.content(environment.environmentId, content.contentId), content);
}
