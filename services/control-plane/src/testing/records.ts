import { randomBytes, randomUUID } from 'node:crypto';
import type { ControlPlaneSchemas } from '@multi-drm/contracts';
import { newKey } from '../access/credentials';
import type { Role } from '../access/permissions';
import type { PrismaClient } from '../generated/prisma/client';
import type { TestControlPlane } from './control-plane';
import { copyTenant, readNewTenant, type TestTenant } from './tenant-copies';

export type { TestTenant } from './tenant-copies';

/** A valid registration, different from all others. */
export function newRegistration(): ControlPlaneSchemas['CompanyRegistrationRequest'] {
  const unique = randomUUID();
  return {
    companyName: `Company ${unique}`,
    country: 'DE',
    administrator: { name: 'Ada Admin', email: `ada-${unique}@example.com` },
    agreement: { version: '2026-01', accepted: true },
  };
}

/** Content that can be registered and published, different from all other content. */
export function newContent(): ControlPlaneSchemas['CreateContentAssetRequest'] {
  return {
    contentId: `lesson-${randomUUID()}`,
    kind: 'vod',
    title: 'Lesson 42',
    manifests: [{ type: 'dash', url: 'https://media.example.com/42/manifest.mpd', drmSystems: ['widevine'] }],
  };
}

export const bearer = (key: string) => ({ Authorization: `Bearer ${key}` });

const newTenants = new WeakMap<PrismaClient, ReturnType<typeof readNewTenant>>();

/**
 * Returns a tenant as `registerTenant` makes it. Only the first one of a control plane registers. The others are copies of it: one
 * statement instead of two requests.
 */
export async function createTenant(controlPlane: TestControlPlane): Promise<TestTenant> {
  const { prisma, clock } = controlPlane;
  const registered = newTenants.get(prisma);
  if (registered !== undefined) return copyTenant(prisma, await registered, clock.now);
  const first = registerTenant(controlPlane).then((tenant) => readNewTenant(prisma, tenant, clock.now));
  newTenants.set(prisma, first);
  return (await first).tenant;
}

/** Registers a company and creates a project, as a customer would. */
export async function registerTenant({ api }: TestControlPlane): Promise<TestTenant> {
  const registered = await api.post('/api/v1/organizations/registrations').send(newRegistration()).expect(201);
  const { organizationId, managementKey } = registered.body;
  const project = await api
    .post(`/api/v1/management/organizations/${organizationId}/projects`)
    .set(bearer(managementKey.key))
    .send({ name: 'Academy' })
    .expect(200);
  const [development, production] = project.body.environments;
  return {
    organizationId,
    key: managementKey.key,
    projectId: project.body.projectId,
    development: development.environmentId,
    production: production.environmentId,
  };
}

/** Registers content in an environment and returns the asset's id. */
export async function createContent(
  { api }: TestControlPlane,
  { key, development }: TestTenant,
  changes: Partial<ControlPlaneSchemas['CreateContentAssetRequest']> = {},
): Promise<string> {
  const created = await api
    .post(`/api/v1/management/environments/${development}/content`)
    .set(bearer(key))
    .send({ ...newContent(), ...changes })
    .expect(200);
  return created.body.contentAssetId;
}

/** Gives an organization another management key; unlike the API, it also creates keys that have already ended. */
export async function createManagementKey(
  { prisma }: TestControlPlane,
  organizationId: string,
  properties: { role: Role; expiresAt?: Date; revokedAt?: Date },
): Promise<string> {
  const { key, prefix, hash } = newKey('mk', randomBytes);
  await prisma.managementKey.create({ data: { organizationId, name: 'Key of a test', prefix, hash, ...properties } });
  return key;
}
