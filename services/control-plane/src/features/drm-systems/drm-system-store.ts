import { type ControlPlaneSchemas, Problem } from '@multi-drm/contracts';
import type { DrmSystem, EnvironmentDrmSystem, EnvironmentKind, PrismaClient } from '../../generated/prisma/client';
import { Prisma } from '../../generated/prisma/client';
import { addOutboxEntry } from '../../publishing/outbox-entries';
import type { Actor } from '../../records/change';
import type { IfMatch } from '../../records/if-match';
import { recordAudit } from '../../records/record-audit';
import { requireMatch } from '../../records/require-changeable';
import { runChange } from '../../records/run-change';
import type { BackendSettings } from './backend-settings';
import { drmSystemResponse } from './drm-system-response';

export type DrmSystemRecord = EnvironmentDrmSystem;

/** The new settings of a configuration. */
interface DrmSystemSettings {
  enabled: boolean;
  backend: string | null;
  /** Null if there is no backend. */
  backendSettings: BackendSettings | null;
  /** The backend's secrets by name, each encrypted; null if it has none. */
  backendSecrets: Record<string, string> | null;
  certificate: string | null;
}

/** The record's name in the audit trail. */
export function drmSystemRecordId(environmentId: string, drmSystem: DrmSystem): string {
  return `${environmentId}/${drmSystem}`;
}

/** DRM systems of environments. */
export class DrmSystemStore {
  constructor(private readonly prisma: PrismaClient) {}

  /** The environment's id in its stored form, and its kind. */
  async readEnvironment(id: string): Promise<{ id: string; kind: EnvironmentKind }> {
    return this.prisma.environment.findUniqueOrThrow({ where: { id }, select: { id: true, kind: true } });
  }

  async read(environmentId: string, drmSystem: DrmSystem): Promise<DrmSystemRecord> {
    return this.prisma.environmentDrmSystem.findUniqueOrThrow({
      where: { environmentId_drmSystem: { environmentId, drmSystem } },
    });
  }

  /** Key ids and track types of content, whatever its status; null if the environment has no such content. */
  async readContentKeys(environmentId: string, contentId: string): Promise<ControlPlaneSchemas['ContentKey'][] | null> {
    const where = { environmentId_contentId: { environmentId, contentId } };
    const content = await this.prisma.contentAsset.findUnique({ where, select: { keys: true } });
    // Safe: only what the API accepts is stored.
    return content && (content.keys as ControlPlaneSchemas['ContentKey'][]);
  }

  /**
   * Replaces the settings. Also raises the version of the environment, whose representation shows its DRM systems.
   * Throws `conflict` if the environment was archived meanwhile, `precondition_failed` if the settings have none of the
   * expected versions.
   */
  async configure(
    { environmentId, drmSystem }: { environmentId: string; drmSystem: DrmSystem },
    settings: DrmSystemSettings,
    { ifMatch, fields, actor }: { ifMatch: IfMatch; fields: string[]; actor: Actor },
    now: Date,
  ): Promise<DrmSystemRecord> {
    const where = { environmentId_drmSystem: { environmentId, drmSystem } };
    return runChange(this.prisma, actor, async (transaction) => {
      const { count } = await transaction.environment.updateMany({
        where: { id: environmentId, status: { not: 'archived' } },
        data: { version: { increment: 1 }, updatedAt: now },
      });
      if (count === 0) throw new Problem('conflict', 'The environment is archived: it can be read but not changed.');
      // Every configuration updates the environment's row, which blocks concurrent ones until the commit.
      const present = await transaction.environmentDrmSystem.findUniqueOrThrow({ where });
      requireMatch(present, ifMatch, 'DRM system');
      const { environment, ...configured } = await transaction.environmentDrmSystem.update({
        where,
        data: {
          ...settings,
          backendSettings: settings.backendSettings ?? Prisma.DbNull,
          backendSecrets: settings.backendSecrets ?? Prisma.DbNull,
          version: { increment: 1 },
          updatedAt: now,
        },
        include: { environment: { select: { project: { select: { organizationId: true } } } } },
      });
      await addOutboxEntry(transaction, 'environment', environmentId);
      const entry = {
        organizationId: environment.project.organizationId,
        action: 'drmSystem.configure',
        recordType: 'drmSystem',
        recordId: drmSystemRecordId(environmentId, drmSystem),
        details: { fields },
        before: drmSystemResponse(present),
        after: drmSystemResponse(configured),
      };
      await recordAudit(transaction, actor, entry, now);
      return configured;
    });
  }
}
