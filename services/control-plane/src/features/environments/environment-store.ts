import type { Prisma, PrismaClient } from '../../generated/prisma/client';
import { markChanged } from '../../publishing/mark-changed';
import type { IfMatch } from './if-match';

/** The DRM systems of an environment, in the order of the interface. */
export const environmentWithDrmSystems = {
  drmSystems: { orderBy: { drmSystem: 'asc' } },
} satisfies Prisma.EnvironmentInclude;

export type EnvironmentRecord = Prisma.EnvironmentGetPayload<{ include: typeof environmentWithDrmSystems }>;

/** Settings that can be changed; what is absent stays as it is. */
export type SettingsChange = Partial<
  Pick<EnvironmentRecord, 'defaultLicensePolicyTemplate' | 'sessionLifetimeSeconds' | 'maximumConcurrentStreams'>
>;

/**
 * An environment as it starts: in development every DRM system works at once, on the built-in `clearkey` backend; in
 * production each is set up on purpose.
 */
export function newEnvironment(projectId: string, kind: 'development' | 'production', now: Date) {
  const drmSystem = kind === 'development' ? { enabled: true, backend: 'clearkey' } : { enabled: false, backend: null };
  return {
    projectId,
    kind,
    name: kind === 'development' ? 'Development' : 'Production',
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
        })),
      },
    },
  } satisfies Prisma.EnvironmentUncheckedCreateInput;
}

/** Environments and their settings. */
export class EnvironmentStore {
  constructor(private readonly prisma: PrismaClient) {}

  /** Oldest first; those that a project was made with are equally old, and come in the order of their kinds. */
  async list(projectId: string): Promise<EnvironmentRecord[]> {
    return this.prisma.environment.findMany({
      where: { projectId },
      include: environmentWithDrmSystems,
      orderBy: [{ createdAt: 'asc' }, { kind: 'asc' }, { id: 'asc' }],
    });
  }

  async read(id: string): Promise<EnvironmentRecord> {
    return this.prisma.environment.findUniqueOrThrow({ where: { id }, include: environmentWithDrmSystems });
  }

  /** Changes the environment in one atomic step if its version is one of those; null where it is not. */
  async update(id: string, ifMatch: IfMatch, change: SettingsChange, now: Date): Promise<EnvironmentRecord | null> {
    return this.prisma.$transaction(async (transaction) => {
      const { count } = await transaction.environment.updateMany({
        where: { id, ...(ifMatch === 'any' ? {} : { version: { in: ifMatch } }) },
        data: { ...change, version: { increment: 1 }, updatedAt: now },
      });
      if (count === 0) return null;
      await markChanged(transaction, 'environment', id);
      return transaction.environment.findUniqueOrThrow({ where: { id }, include: environmentWithDrmSystems });
    });
  }
}
