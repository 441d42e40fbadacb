import type { ApiClient, Prisma, PrismaClient } from '../../generated/prisma/client';
import { markChanged } from '../../publishing/mark-changed';

/** API clients. */
export class ApiClientStore {
  constructor(private readonly prisma: PrismaClient) {}

  /** Ids of all environments of a project. */
  async environmentIds(projectId: string): Promise<Set<string>> {
    const found = await this.prisma.environment.findMany({ where: { projectId }, select: { id: true } });
    return new Set(found.map(({ id }) => id));
  }

  async create(data: Prisma.ApiClientUncheckedCreateInput): Promise<ApiClient> {
    return this.prisma.$transaction(async (transaction) => {
      const apiClient = await transaction.apiClient.create({ data });
      await markChanged(transaction, 'apiClient', apiClient.id);
      return apiClient;
    });
  }
}
