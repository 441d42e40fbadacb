import type { Transaction } from '../database/database';
import { type DrmSystem, type EnvironmentDrmSystem, Prisma } from '../generated/prisma/client';

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

export async function readDrmSystem(
  transaction: Transaction,
  environmentId: string,
  drmSystem: DrmSystem,
): Promise<DrmSystemRecord> {
  return transaction.environmentDrmSystem.findUniqueOrThrow({
    where: { environmentId_drmSystem: { environmentId, drmSystem } },
  });
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
