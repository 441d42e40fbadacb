import type { PrismaClient, Project } from '../../generated/prisma/client';
import { markChanged } from '../../publishing/mark-changed';
import { type EnvironmentRecord, environmentWithDrmSystems, newEnvironment } from '../environments/environment-store';

export type ProjectRecord = Project;

/** Projects, and the environments that they are made with. */
export class ProjectStore {
  constructor(private readonly prisma: PrismaClient) {}

  async list(organizationId: string): Promise<ProjectRecord[]> {
    return this.prisma.project.findMany({ where: { organizationId }, orderBy: [{ createdAt: 'asc' }, { id: 'asc' }] });
  }

  async create(request: { organizationId: string; name: string; description: string | null; now: Date }) {
    const { now, ...data } = request;
    return this.prisma.$transaction(async (transaction) => {
      const project = await transaction.project.create({ data: { ...data, createdAt: now, updatedAt: now } });
      const environments: EnvironmentRecord[] = [];
      for (const kind of ['development', 'production'] as const) {
        const environment = await transaction.environment.create({
          data: newEnvironment(project.id, kind, now),
          include: environmentWithDrmSystems,
        });
        await markChanged(transaction, 'environment', environment.id);
        environments.push(environment);
      }
      return { project, environments };
    });
  }
}
