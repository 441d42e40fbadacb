import { type ControlPlaneSchemas, invalidRequest } from '@multi-drm/contracts';
import type { Environment, EnvironmentKind, Prisma, PrismaClient } from '../../generated/prisma/client';
import { holdPlan, requireRoom } from '../../plans/require-room';
import { addEntriesForEndUsers, addOutboxEntry } from '../../publishing/outbox-entries';
import type { Actor, Change } from '../../records/change';
import { type CreatedOnce, createOnce } from '../../records/create-once';
import type { IfMatch } from '../../records/if-match';
import { lockRow } from '../../records/lock-row';
import { recordAudit } from '../../records/record-audit';
import { requireChangeable } from '../../records/require-changeable';
import { requireUnarchived } from '../../records/require-unarchived';
import { runChange } from '../../records/run-change';
import { selfSignedCertificate } from '../drm-systems/self-signed-certificate';
import { platformCapabilities } from '../platform/platform-capabilities';
import { requireKindFree } from './environment-kind-store';
import { environmentResponse } from './environment-response';
import { settingsErrors } from './settings-validation';

/** The DRM systems of an environment, in the order of the API. */
export const environmentWithDrmSystems = {
  drmSystems: { orderBy: { drmSystem: 'asc' } },
} satisfies Prisma.EnvironmentInclude;

/** Oldest first; environments created with their project are equally old and ordered by kind. */
export const environmentOrder = [
  { createdAt: 'asc' },
  { kind: 'asc' },
  { id: 'asc' },
] satisfies Prisma.EnvironmentOrderByWithRelationInput[];

export type EnvironmentRecord = Prisma.EnvironmentGetPayload<{ include: typeof environmentWithDrmSystems }>;

const names: Record<EnvironmentKind, string> = {
  development: 'Development',
  staging: 'Staging',
  production: 'Production',
};

/**
 * The initial environment: in development, every DRM system works at once, with the built-in `clearkey` backend and a
 * self-signed FairPlay certificate; in staging and production, each must be configured.
 */
export function newEnvironment(projectId: string, kind: EnvironmentKind, now: Date, name = names[kind]) {
  const drmSystem = kind === 'development' ? { enabled: true, backend: 'clearkey' } : { enabled: false, backend: null };
  return {
    projectId,
    kind,
    name,
    defaultLicensePolicyTemplate: 'single-software',
    sessionLifetimeSeconds: 14_400,
    maximumConcurrentStreams: 3,
    createdAt: now,
    updatedAt: now,
    drmSystems: {
      createMany: {
        data: (['widevine', 'playready', 'fairplay', 'wiseplay'] as const).map((name) => ({
          drmSystem: name,
          ...drmSystem,
          certificate: kind === 'development' && name === 'fairplay' ? selfSignedCertificate('Development', now) : null,
          updatedAt: now,
        })),
      },
    },
  } satisfies Prisma.EnvironmentUncheckedCreateInput;
}

/** The audited values of an environment. */
export function environmentEntry(organizationId: string, environmentId: string, verb: string) {
  return { organizationId, action: `environment.${verb}`, recordType: 'environment', recordId: environmentId };
}

/** The audited values of archiving or restoring an environment: of its values, only the status changes. */
export function environmentMoveEntry(organizationId: string, environment: Environment, verb: 'archive' | 'restore') {
  const shown = (status: Environment['status']) => environmentResponse({ ...environment, drmSystems: [], status });
  const [active, archived] = [shown('active'), shown('archived')];
  const values = verb === 'archive' ? { before: active, after: archived } : { before: archived, after: active };
  return { ...environmentEntry(organizationId, environment.id, verb), ...values };
}

/** Environments and their settings. */
export class EnvironmentStore {
  constructor(private readonly prisma: PrismaClient) {}

  async list(projectId: string, status: 'active' | 'archived'): Promise<EnvironmentRecord[]> {
    return this.prisma.environment.findMany({
      where: { projectId, status },
      include: environmentWithDrmSystems,
      orderBy: environmentOrder,
    });
  }

  async read(id: string): Promise<EnvironmentRecord> {
    return this.prisma.environment.findUniqueOrThrow({ where: { id }, include: environmentWithDrmSystems });
  }

  /** Throws `plan_limit_reached`, or `conflict` if the project may have only one environment of this kind. */
  async create(
    projectId: string,
    { kind, name }: ControlPlaneSchemas['CreateEnvironmentRequest'],
    { actor, claim }: Change,
    now: Date,
  ): Promise<CreatedOnce<EnvironmentRecord>> {
    return createOnce(this.prisma, { actor, claim }, now, async (transaction) => {
      const { organizationId } = await transaction.project.findUniqueOrThrow({ where: { id: projectId } });
      await holdPlan(transaction, organizationId);
      await requireUnarchived(transaction, 'organization', organizationId);
      await requireUnarchived(transaction, 'project', projectId);
      // Checked before the plan's limit, because a larger plan would not help.
      await requireKindFree(transaction, projectId, kind);
      const where = { projectId, status: { not: 'archived' } } as const;
      const count = () => transaction.environment.count({ where });
      await requireRoom(transaction, organizationId, 'environmentsPerProject', count);
      const environment = await transaction.environment.create({
        data: newEnvironment(projectId, kind, now, name),
        include: environmentWithDrmSystems,
      });
      await addEntriesForEndUsers(transaction, projectId);
      await addOutboxEntry(transaction, 'environment', environment.id);
      const entry = environmentEntry(organizationId, environment.id, 'create');
      await recordAudit(transaction, actor, { ...entry, after: environmentResponse(environment) }, now);
      return environment;
    });
  }

  /** Throws `conflict` if the environment is archived, `precondition_failed`, or `invalid_request`. */
  async update(
    id: string,
    ifMatch: IfMatch,
    { name, settings = {} }: ControlPlaneSchemas['UpdateEnvironmentRequest'],
    actor: Actor,
    now: Date,
  ): Promise<EnvironmentRecord> {
    return runChange(this.prisma, actor, async (transaction) => {
      // Locks the profile before the environment, as archiving a profile does: the same lock order prevents deadlocks.
      const hasTemplate = await lockTemplate(transaction, id, settings.defaultLicensePolicyTemplate);
      await lockRow(transaction, 'environment', id);
      const present = await transaction.environment.findUniqueOrThrow({
        where: { id },
        include: environmentWithDrmSystems,
      });
      requireChangeable(present, ifMatch, 'environment');
      const { project, ...updated } = await transaction.environment.update({
        where: { id },
        data: { ...(name === undefined ? {} : { name }), ...settings, version: { increment: 1 }, updatedAt: now },
        include: { ...environmentWithDrmSystems, project: { select: { organizationId: true } } },
      });
      const errors = settingsErrors(settings, updated, hasTemplate);
      if (Object.keys(errors).length > 0) throw invalidRequest(errors);
      await addOutboxEntry(transaction, 'environment', updated.id);
      const details = {
        fields: [...(name === undefined ? [] : ['name']), ...Object.keys(settings).map((field) => `settings.${field}`)],
      };
      const entry = environmentEntry(project.organizationId, updated.id, 'update');
      const values = { before: environmentResponse(present), after: environmentResponse(updated) };
      await recordAudit(transaction, actor, { ...entry, details, ...values }, now);
      return updated;
    });
  }
}

/** Whether the template exists; a license profile is locked against archiving until the commit. */
async function lockTemplate(
  transaction: Prisma.TransactionClient,
  environmentId: string,
  name: string | null | undefined,
): Promise<boolean> {
  if (name === undefined || name === null || platformCapabilities.policyTemplates.includes(name)) return true;
  const profiles = await transaction.$queryRaw<unknown[]>`
    SELECT license_profile.id FROM license_profile
    JOIN environment ON environment.project_id = license_profile.project_id
    WHERE environment.id = ${environmentId}::uuid
      AND license_profile.name = ${name} AND license_profile.status = 'active'
    FOR SHARE OF license_profile`;
  return profiles.length > 0;
}
