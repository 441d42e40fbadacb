import { Problem } from '@multi-drm/contracts';
import { keyStatus } from '../../access/key-lifetime';
import type { ApiClient, Prisma, PrismaClient } from '../../generated/prisma/client';
import { markChanged } from '../../publishing/mark-changed';
import { recordAudit } from '../../records/audit-store';
import type { Actor, Change, ConditionalChange } from '../../records/change';
import { runChange } from '../../records/change-store';
import { type CreatedOnce, createOnce } from '../../records/create-once-store';
import type { IfMatch } from '../../records/if-match';
import { lockRow } from '../../records/lock-row';
import { organizationOfProject } from '../../records/organization-of-project';
import { requireMatch } from '../../records/require-changeable';
import { requireParentUnarchived, requireUnarchived } from '../../records/unarchived-store';
import { apiClientResponse } from './api-client-response';

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

/** What can be changed of a client; what is absent stays as it is. */
export type ApiClientChange = Partial<Pick<ApiClient, 'name' | 'permissions' | 'allEnvironments' | 'environmentIds'>>;

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
      check(await activeEnvironments(transaction, projectId));
      const created = await transaction.apiClient.create({ data: { ...client, createdAt: now } });
      await noteChange(transaction, { after: created }, 'create', change.actor, now);
      return created;
    });
  }

  /**
   * `check` gets the ids of the project's environments and of those that the client has already, and throws where it
   * must not be. Throws `conflict` where the client's keys open nothing any more or its project is archived, and
   * `precondition_failed`.
   */
  async update(
    id: string,
    ifMatch: IfMatch,
    values: ApiClientChange,
    check: (environmentIds: Set<string>) => void,
    { actor }: Change,
    now: Date,
  ): Promise<ApiClient> {
    return runChange(this.prisma, actor, async (transaction) => {
      await requireParentUnarchived(transaction, 'project', 'api_client', id);
      const client = await lockedActive(transaction, id, ifMatch, now);
      // An environment that was archived meanwhile stays on the client's list until the caller takes it off.
      check(new Set([...(await activeEnvironments(transaction, client.projectId)), ...client.environmentIds]));
      const updated = await transaction.apiClient.update({
        where: { id },
        data: { ...values, version: { increment: 1 } },
      });
      const details = { fields: fieldsOf(values) };
      await noteChange(transaction, { before: client, after: updated }, 'update', actor, now, details);
      return updated;
    });
  }

  /**
   * Throws `conflict` where the client's keys open nothing any more, where its project is archived, or where an earlier
   * key is in its overlap still, unless `endsEarlierKeys`: two keys are kept, and that one was promised its time. Throws
   * `precondition_failed`.
   */
  async rotate(
    id: string,
    { accessKeyHash, previousUntil, endsEarlierKeys }: Rotation,
    { actor, ifMatch }: ConditionalChange,
    now: Date,
  ): Promise<ApiClient> {
    return runChange(this.prisma, actor, async (transaction) => {
      await requireParentUnarchived(transaction, 'project', 'api_client', id);
      const client = await lockedActive(transaction, id, ifMatch, now);
      if (!endsEarlierKeys) requireNoOverlap(client, now);
      const rotated = await transaction.apiClient.update({
        where: { id },
        data: {
          accessKeyHash,
          previousAccessKeyHash: previousUntil === null ? null : client.accessKeyHash,
          previousAccessKeyUntil: previousUntil,
          version: { increment: 1 },
        },
      });
      await noteChange(transaction, { before: client, after: rotated }, 'rotate', actor, now);
      return rotated;
    });
  }

  /** Revokes a client, unless it is revoked already. Throws `precondition_failed`. */
  async revoke(id: string, { actor, ifMatch }: ConditionalChange, now: Date): Promise<void> {
    await runChange(this.prisma, actor, async (transaction) => {
      const client = await locked(transaction, id);
      if (client.revokedAt !== null) return;
      requireMatch(client, ifMatch, 'API client');
      const revoked = await transaction.apiClient.update({
        where: { id },
        data: { revokedAt: now, version: { increment: 1 } },
      });
      await noteChange(transaction, { before: client, after: revoked }, 'revoke', actor, now);
    });
  }
}

async function activeEnvironments(transaction: Prisma.TransactionClient, projectId: string): Promise<Set<string>> {
  const environments = await transaction.environment.findMany({
    where: { projectId, status: 'active' },
    select: { id: true },
  });
  return new Set(environments.map(({ id }) => id));
}

async function locked(transaction: Prisma.TransactionClient, id: string): Promise<ApiClient> {
  await lockRow(transaction, 'api_client', id);
  return transaction.apiClient.findUniqueOrThrow({ where: { id } });
}

/** Locks a client. Throws `conflict` where its keys open nothing any more, and `precondition_failed`. */
async function lockedActive(
  transaction: Prisma.TransactionClient,
  id: string,
  ifMatch: IfMatch,
  now: Date,
): Promise<ApiClient> {
  const client = await locked(transaction, id);
  const status = keyStatus(client, now);
  if (status !== 'active') throw new Problem('conflict', `The API client is ${status}.`);
  requireMatch(client, ifMatch, 'API client');
  return client;
}

/** Names of the changed fields as the API has them. */
function fieldsOf(values: ApiClientChange): string[] {
  return Object.keys(values).filter((field) => field !== 'allEnvironments');
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
  { before, after }: { before?: ApiClient; after: ApiClient },
  verb: 'create' | 'update' | 'rotate' | 'revoke',
  actor: Actor,
  now: Date,
  details: Prisma.InputJsonObject = {},
): Promise<void> {
  const entry = {
    organizationId: await organizationOfProject(transaction, after.projectId),
    action: `apiClient.${verb}`,
    recordType: 'apiClient',
    recordId: after.id,
    details,
    before: before && apiClientResponse(before, now),
    after: apiClientResponse(after, now),
  };
  await recordAudit(transaction, actor, entry, now);
  await markChanged(transaction, 'apiClient', after.id);
}
