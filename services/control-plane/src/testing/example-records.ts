import { controlPlaneDocument } from '@multi-drm/contracts';
import { Secrets } from '@multi-drm/service-kit';
import { hashOf } from '../access/credentials';
import { newEnvironment } from '../features/environments/new-environment';
import { WebhookSecrets } from '../features/webhook-endpoints/webhook-secrets';
import type { PrismaClient } from '../generated/prisma/client';
import { storeEvent, storeSession } from './sessions';
import { storeDelivery } from './webhook-deliveries';

/** The owner key used in the examples. */
export const exampleOwnerKey = 'mk_ExampleOwnerKeyOfTheExamplesOfTheDocument00';

const idOf = (parameter: string): string => {
  const { example } = (controlPlaneDocument.components.parameters?.[parameter] ?? {}) as { example?: unknown };
  if (typeof example !== 'string') throw new Error(`the parameter ${parameter} has no example`);
  return example;
};

/** Empties the database and inserts the records used in the document's examples, with their ids. */
export async function putExampleRecords(prisma: PrismaClient, now: Date): Promise<void> {
  const organizationId = idOf('OrganizationId');
  const projectId = idOf('ProjectId');
  const environmentId = idOf('EnvironmentId');
  const times = { createdAt: now, updatedAt: now };
  const tables = await prisma.$queryRaw<{ name: string }[]>`
    SELECT tablename AS name FROM pg_tables WHERE schemaname = current_schema() AND tablename NOT IN ('_prisma_migrations', 'subject_hash_key')`;
  await prisma.$transaction([
    prisma.$executeRaw`SET LOCAL session_replication_role = replica`, // otherwise, audit events can only be added
    prisma.$executeRawUnsafe(`TRUNCATE ${tables.map(({ name }) => name).join(', ')}`),
  ]);
  await prisma.organization.create({
    data: {
      id: organizationId,
      companyName: 'Example Academy',
      companyNameKey: 'example academy',
      country: 'DE',
      website: 'https://academy.example.com/',
      registrationNumber: 'HRB 12345',
      planId: 'developer',
      administratorName: 'Ada Admin',
      administratorEmail: 'ada@academy.example.com',
      administratorEmailKey: 'ada@academy.example.com',
      agreementVersion: '2026-01',
      agreementAcceptedAt: now,
      ...times,
    },
  });
  await prisma.managementKey.create({
    data: {
      organizationId,
      name: 'Owner',
      role: 'owner',
      hash: hashOf(exampleOwnerKey),
      prefix: 'mk_Zx81kQa',
      createdAt: now,
      lastUsedAt: now, // just now, so that its use is not recorded meanwhile
    },
  });
  await prisma.managementKey.create({
    data: {
      id: idOf('KeyId'),
      organizationId,
      name: 'Reports',
      role: 'viewer',
      hash: hashOf('reports'),
      prefix: 'mk_b9T2mWe',
      createdAt: new Date(now.getTime() + 1),
    },
  });
  await prisma.project.create({
    data: { id: projectId, organizationId, name: 'Academy', description: 'Lessons and lectures', ...times },
  });
  await prisma.environment.create({ data: { id: environmentId, ...newEnvironment(projectId, 'development', now) } });
  await prisma.environment.create({ data: newEnvironment(projectId, 'production', new Date(now.getTime() + 1)) });
  await prisma.rights.create({
    data: {
      id: idOf('RightsId'),
      projectId,
      name: 'Rental',
      description: 'Two devices, 48 hours from the first playback',
      maximumConcurrentStreams: 2,
      playbackDurationSeconds: 172_800,
      allowedClientPlatforms: ['web', 'android', 'ios'],
      ...times,
    },
  });
  await prisma.licenseProfile.create({
    data: {
      id: idOf('LicenseProfileId'),
      projectId,
      name: 'premium',
      description: 'Full HD on every device',
      maximumHeight: 1080,
      tracks: [
        {
          trackTypes: ['AUDIO', 'SD', 'HD'],
          widevine: { securityLevel: 1, hdcp: '1.0' },
          playready: { securityLevel: 2000, outputProtection: 'hdcp' },
          fairplay: { hdcp: 'type0' },
          wiseplay: { securityLevel: 1, outputControl: 1 },
        },
      ],
      ...times,
    },
  });
  await prisma.contentAsset.create({
    data: {
      id: idOf('ContentAssetId'),
      environmentId,
      contentId: 'demo-movie',
      kind: 'vod',
      title: 'Demo movie',
      manifests: [
        { type: 'dash', url: 'https://media.example.com/42/manifest.mpd', drmSystems: ['widevine', 'playready'] },
        { type: 'hls', url: 'https://media.example.com/42/main.m3u8', drmSystems: ['fairplay'] },
      ],
      keys: [{ keyId: '0a1b2c3d-4e5f-4a6b-8c7d-9e0f1a2b3c4d', trackTypes: ['AUDIO', 'SD', 'HD'] }],
      audioLanguages: ['en', 'de-CH'],
      subtitleLanguages: ['en'],
      ...times,
    },
  });
  await prisma.endUser.create({
    data: {
      id: idOf('UserId'),
      projectId,
      subject: 'viewer-17',
      displayName: 'Vera Viewer',
      email: 'vera@example.com',
      attributes: { semester: 3 },
      createdAt: now,
      synchronizedAt: now,
    },
  });
  await prisma.apiClient.create({
    data: {
      id: idOf('ApiClientId'),
      projectId,
      clientId: 'ci_Jq3xYb7Lk0sVdN5uRw2TzA',
      name: 'Checkout backend',
      accessKeyHash: hashOf('the access key'),
      accessKeyPrefix: 'ak_Kf7pQ2x',
      permissions: ['license-tokens:create', 'sessions:read', 'sessions:release'],
      allEnvironments: true,
      environmentIds: [],
      createdAt: now,
    },
  });
  await prisma.auditEvent.create({
    data: {
      organizationId,
      occurredAt: now,
      actorKind: 'management_key',
      actorId: idOf('KeyId'),
      actorName: 'Reports',
      action: 'project.update',
      recordType: 'project',
      recordId: projectId,
      requestId: '9ae8c347-d303-412a-afb2-73667a99144f',
      address: '203.0.113.8',
      details: { fields: ['description'] },
    },
  });
  const sessionId = idOf('SessionId');
  const reservationId = '7d1c1f0e-5d0a-4b43-9d49-0f6f5b1f4a11';
  await storeSession(prisma, environmentId, { sessionId, reservationId });
  await storeEvent(prisma, environmentId, { id: idOf('EventId'), sessionId, reservationId });
  const webhookEndpointId = idOf('WebhookEndpointId');
  const secrets = new WebhookSecrets(new Secrets([{ id: 'tests', key: Buffer.alloc(32, 7) }]), webhookEndpointId);
  await prisma.webhookEndpoint.create({
    data: {
      id: webhookEndpointId,
      projectId,
      url: 'https://hooks.academy.example.com/events',
      description: 'Reports of the academy',
      types: ['session.*', 'license.refused'],
      maximumPerSecond: 50,
      secret: secrets.sealSecret('whsec_RXhhbXBsZU9mQVNlY3JldFRoYXRJc1Nob3duT25jZSE='),
      secretHeaders: secrets.sealHeaders({ Authorization: 'Bearer example-of-a-key-of-the-receiver' }),
      ...times,
    },
  });
  await storeDelivery(prisma, projectId, idOf('DeliveryEventId'), {
    lastAttemptAt: new Date('2026-03-01T09:59:00.000Z'),
    lastAnswer: 'Closed for maintenance',
  });
  const usage = {
    time: new Date('2026-03-01T00:00:00.000Z'),
    started: 1,
    ended: 1,
    peak: 1,
    area: 1_800_000_000,
    counts: { 'ended.released': 1, 'issued.axinom': 1 },
    viewers: 1,
  };
  const total = { dimension: '', value: '' };
  const contentGroup = { dimension: 'contentId', value: 'demo-movie' };
  const scopes = [environmentId, organizationId];
  await prisma.usageDay.createMany({
    data: scopes.flatMap((scopeId) => [total, contentGroup].map((group) => ({ scopeId, ...group, ...usage }))),
  });
}
