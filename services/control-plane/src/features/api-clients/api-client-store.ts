import { Problem } from '@multi-drm/contracts';
import { keyStatus } from '../../access/key-lifetime';
import type { ApiClient, Prisma, PrismaClient } from '../../generated/prisma/client';
import { markChanged } from '../../publishing/mark-changed';
import { recordAudit } from '../../records/audit-store';
import type { Change } from '../../records/change';
import { runChange } from '../../records/change-store';
import { type CreatedOnce, createOnce } from '../../records/create-once-store';
import { organizationOfProject } from '../../records/organization-of-project';
import { requireParentUnarchived, requireUnarchived } from '../../records/unarchived-store';

export type ApiClientRecord = ApiClient;

type NewApiClient = Pick<
  ApiClient,
  | 'projectId'
  | 'clientId'
  | 'name'
  | 'accessKeyHash'
  | 'permissions'
  | 'allEnvironments'
  | 'environmentIds'
  | 'expiresAt'
>;

/** A new access key, and how long the present one stays valid; null: it ends at once. */
interface Rotation {
  accessKeyHash: string;
  previousUntil: Date | null;
  /** Whether the caller means to end every earlier key, overlaps included. */
  endsEarlierKeys: boolean;
}

/** API clients. */
export class ApiClientStore {
  constructor(private readonly prisma: PrismaClient) {}

  async list(projectId: string): Promise<ApiClient[]> {
    return this.prisma.apiClient.findMany({ where: { projectId }, orderBy: [{ createdAt: 'asc' }, { id: 'asc' }] });
  }

  async read(id: string): Promise<ApiClient> {
    return this.prisma.apiClient.findUniqueOrThrow({ where: { id } });
  }

  /** `check` gets the ids of the project's environments, and throws where the client must not be. */
  async create(
    client: NewApiClient,
    check: (environmentIds: Set<string>) => void,
    change: Change,
    now: Date,
  ): Promise<CreatedOnce<ApiClient>> {
    return createOnce(this.prisma, change, now, async (transaction) => {
      const { projectId } = client;
      await requireUnarchived(transaction, 'project', projectId);
      const environments = await transaction.environment.findMany({
        where: { projectId, status: 'active' },
        select: { id: true },
      });
      check(new Set(environments.map(({ id }) => id)));
      const created = await transaction.apiClient.create({ data: { ...client, createdAt: now } });
      await noteChange(transaction, created, 'create', change, now);
      return created;
    });
  }

  /**
   * Throws `conflict` where the client's keys open nothing any more, where its project is archived, or where an earlier
   * key is in its overlap still, unless `endsEarlierKeys`: two keys are kept, and that one was promised its time.
   */
  async rotate(
    id: string,
    { accessKeyHash, previousUntil, endsEarlierKeys }: Rotation,
    change: Change,
    now: Date,
  ): Promise<ApiClient> {
    return runChange(this.prisma, change.actor, async (transaction) => {
      await requireParentUnarchived(transaction, 'project', 'api_client', id);
      await transaction.$queryRaw`SELECT FROM api_client WHERE id = ${id}::uuid FOR NO KEY UPDATE`;
      const client = await transaction.apiClient.findUniqueOrThrow({ where: { id } });
      const status = keyStatus(client, now);
      if (status !== 'active') throw new Problem('conflict', `The API client is ${status}.`);
      if (!endsEarlierKeys) requireNoOverlap(client, now);
      const rotated = await transaction.apiClient.update({
        where: { id },
        data: {
          accessKeyHash,
          previousAccessKeyHash: previousUntil === null ? null : client.accessKeyHash,
          previousAccessKeyUntil: previousUntil,
        },
      });
      await noteChange(transaction, rotated, 'rotate', change, now);
      return rotated;
    });
  }

  /** Revokes a client, unless it is revoked already. */
  async revoke(id: string, change: Change, now: Date): Promise<void> {
    await runChange(this.prisma, change.actor, async (transaction) => {
      const [revoked] = await transaction.apiClient.updateManyAndReturn({
        where: { id, revokedAt: null },
        data: { revokedAt: now },
      });
      if (revoked !== undefined) await noteChange(transaction, revoked, 'revoke', change, now);
    });
  }
}

function requireNoOverlap({ previousAccessKeyUntil: until }: ApiClient, now: Date): void {
  if (until === null || until <= now) return;
  throw new Problem(
    'conflict',
    `An earlier access key is valid until ${until.toISOString()}. Rotate again after that, or send overlapSeconds 0, ` +
      'which ends every earlier key at once.',
  );
}

async function noteChange(
  transaction: Prisma.TransactionClient,
  { id, projectId }: ApiClient,
  verb: 'create' | 'rotate' | 'revoke',
  { actor }: Change,
  now: Date,
): Promise<void> {
  const organizationId = await organizationOfProject(transaction, projectId);
  const entry = { organizationId, action: `apiClient.${verb}`, recordType: 'apiClient', recordId: id };
  await recordAudit(transaction, actor, entry, now);
  await markChanged(transaction, 'apiClient', id);
}
