import type { Transaction } from '../database/database';
import { type DrmSystem, type EnvironmentDrmSystem, type EnvironmentKind, Prisma } from '../generated/prisma/client';

export type DrmSystemRecord = EnvironmentDrmSystem;

/** All settings of a DRM system. */
interface DrmSystemSettings {
  enabled: boolean;
  backend: string | null;
  /** Null if there is no backend. */
  backendSettings: Prisma.InputJsonObject | null;
  /** The backend's secrets by name, each encrypted; null if it has none. */
  backendSecrets: Record<string, string> | null;
  certificate: string | null;
}

/** The environment's id in its stored form, and its kind, which never changes. */
export async function readKindOfEnvironment(
  transaction: Transaction,
  id: string,
): Promise<{ id: string; kind: EnvironmentKind }> {
  return transaction.environment.findUniqueOrThrow({ where: { id }, select: { id: true, kind: true } });
}

export async function readDrmSystem(
  transaction: Transaction,
  environmentId: string,
  drmSystem: DrmSystem,
): Promise<DrmSystemRecord> {
  return transaction.environmentDrmSystem.findUniqueOrThrow({
    where: { environmentId_drmSystem: { environmentId, drmSystem } },
  });
}

/**
 * Raises the version of an environment, whose representation shows its DRM systems, and keeps others from configuring
 * these until the transaction ends. False if it is archived.
 */
export async function raiseVersionOfEnvironment(transaction: Transaction, id: string, now: Date): Promise<boolean> {
  const { count } = await transaction.environment.updateMany({
    where: { id, status: { not: 'archived' } },
    data: { version: { increment: 1 }, updatedAt: now },
  });
  return count === 1;
}

/** Replaces all settings and raises their version. */
export async function replaceDrmSystem(
  transaction: Transaction,
  { environmentId, drmSystem }: { environmentId: string; drmSystem: DrmSystem },
  settings: DrmSystemSettings,
  now: Date,
): Promise<DrmSystemRecord> {
  return transaction.environmentDrmSystem.update({
    where: { environmentId_drmSystem: { environmentId, drmSystem } },
    data: {
      ...settings,
      backendSettings: settings.backendSettings ?? Prisma.DbNull,
      backendSecrets: settings.backendSecrets ?? Prisma.DbNull,
      version: { increment: 1 },
      updatedAt: now,
    },
  });
}
