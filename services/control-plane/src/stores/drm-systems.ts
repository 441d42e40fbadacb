import type { Transaction } from '../database/database';
import { type DrmSystem, type EnvironmentDrmSystem, Prisma } from '../generated/prisma/client';
import { raiseVersionOfEnvironment } from './environments';

export type DrmSystemRecord = EnvironmentDrmSystem;

/** All settings of a DRM system. */
export interface DrmSystemSettings {
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

/** The settings of a DRM system that is not configured. */
export const nothingConfigured: DrmSystemSettings = {
  enabled: false,
  backend: null,
  backendSettings: null,
  backendSecrets: null,
  certificate: null,
};

/** Enables or disables a DRM system, which keeps its other settings, and raises their version and their environment's. */
export async function setDrmSystemEnabled(
  transaction: Transaction,
  { environmentId, drmSystem }: { environmentId: string; drmSystem: DrmSystem },
  enabled: boolean,
  now: Date,
): Promise<DrmSystemRecord> {
  await raiseVersionOfEnvironment(transaction, environmentId, now);
  return transaction.environmentDrmSystem.update({
    where: { environmentId_drmSystem: { environmentId, drmSystem } },
    data: { enabled, version: { increment: 1 }, updatedAt: now },
  });
}

/** Replaces all settings, and raises their version and their environment's. */
export async function replaceDrmSystem(
  transaction: Transaction,
  { environmentId, drmSystem }: { environmentId: string; drmSystem: DrmSystem },
  settings: DrmSystemSettings,
  now: Date,
): Promise<DrmSystemRecord> {
  await raiseVersionOfEnvironment(transaction, environmentId, now);
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
