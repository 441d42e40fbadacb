import { Problem } from '@multi-drm/contracts';
import { keyStatus } from '../../access/key-lifetime';
import type { ApiClient, Prisma, PrismaClient } from '../../generated/prisma/client';
import { addOutboxEntry } from '../../publishing/outbox-entries';
import type { Actor, Change, ConditionalChange } from '../../records/change';
import { type CreatedOnce, createOnce } from '../../records/create-once';
import type { IfMatch } from '../../records/if-match';
import { lockRow } from '../../records/lock-row';
import { organizationOfProject } from '../../records/organization-of-project';
import { recordAudit } from '../../records/record-audit';
import { requireMatch } from '../../records/require-changeable';
import { requireParentUnarchived, requireUnarchived } from '../../records/require-unarchived';
import { runChange } from '../../records/run-change';
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

/** The fields of a client that can be changed; absent ones stay as they are. */
export type ApiClientChange = Partial<Pick<ApiClient, 'name' | 'permissions' | 'allEnvironments' | 'environmentIds'>>;

/** A new access key and how long the current one stays valid; null ends it at once. */
interface Rotation {
  accessKeyHash: string;
  previousUntil: Date | null;
  /** Whether the caller wants to end all earlier keys, including those in an overlap. */
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

  /** `check` gets the ids of the project's environments and throws if the client is not valid. */
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
   * `check` gets the ids of the project's environments and of those that the client already has, and throws if the
   * change is not valid. Throws `conflict` if the client's keys are no longer valid or its project is archived, and
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
      // An environment that was archived meanwhile stays on the client's list until the caller removes it.
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
   * Throws `conflict` if the client's keys are no longer valid, if its project is archived, or if an earlier key is
   * still in its overlap and `endsEarlierKeys` is false: only two keys are stored, and the earlier one was promised its
   * overlap. Throws `precondition_failed`.
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

  /** Revokes a client unless it is revoked already. Throws `precondition_failed`. */
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

/** Locks a client. Throws `conflict` if its keys are no longer valid, and `precondition_failed`. */
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

/** API names of the changed fields. */
function fieldsOf(values: ApiClientChange): string[] {
  return Object.keys(values).filter((field) => field !== 'allEnvironments');
}

function requireNoOverlap({ previousAccessKeyUntil: until }: ApiClient, now: Date): void {
  if (until === null || until <= now) return;
  throw new Problem(
    'conflict',
    `An earlier access key is valid until ${until.toISOString()}. Rotate again after that, or send overlapSeconds 0 ` +
      'to end all earlier keys at once.',
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
  await addOutboxEntry(transaction, 'apiClient', after.id);
}
