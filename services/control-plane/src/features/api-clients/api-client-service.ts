import { type ControlPlaneSchemas, type FieldErrors, invalidRequest, Problem } from '@multi-drm/contracts';
import { newKey, type RandomBytes, randomKey } from '../../access/credentials';
import { expiryErrors, keyStatus, overlapEnd } from '../../access/key-lifetime';
import type { Database } from '../../database/database';
import type { Change, ConditionalChange } from '../../records/change';
import type { Changes } from '../../records/changes';
import type { IfMatch } from '../../records/if-match';
import type { OpenChange } from '../../records/open-change';
import { type RecordReply, recordReply } from '../../records/record-reply';
import { requireMatch } from '../../records/require-changeable';
import { requireParentUnarchived, requireUnarchived } from '../../records/require-unarchived';
import { apiClientResponse } from '../../responses/api-clients';
import {
  type ApiClientRecord,
  changeApiClient,
  insertApiClient,
  listApiClients,
  lockApiClient,
  readApiClient,
} from '../../stores/api-clients';
import { listActiveEnvironmentIds } from '../../stores/environments';
import { environmentIdErrors } from '../environment-id-errors';

type ApiClientResponse = ControlPlaneSchemas['ApiClientResponse'];
type CreatedApiClientResponse = ControlPlaneSchemas['CreatedApiClientResponse'];

interface ApiClientOptions {
  database: Database;
  changes: Changes;
  now: () => Date;
  randomBytes: RandomBytes;
}

/** Credentials of customer backends. Only the hash of an access key is stored. */
export class ApiClientService {
  constructor(private readonly options: ApiClientOptions) {}

  /** All clients including revoked ones, oldest first. */
  async list(projectId: string): Promise<ApiClientResponse[]> {
    const { database, now } = this.options;
    const time = now();
    return (await listApiClients(database, projectId)).map((client) => apiClientResponse(client, time));
  }

  async read(apiClientId: string): Promise<RecordReply<ApiClientResponse>> {
    const { database, now } = this.options;
    return apiClientReply(await readApiClient(database, apiClientId), now());
  }

  /**
   * Creates a client with its access key; a repeated request gets the same client without the key. Throws
   * `invalid_request`.
   */
  async create(
    projectId: string,
    { name, permissions, ...request }: ControlPlaneSchemas['CreateApiClientRequest'],
    change: Change,
  ): Promise<RecordReply<CreatedApiClientResponse>> {
    const { changes, randomBytes, now } = this.options;
    const expiresAt = request.expiresAt === undefined ? null : new Date(request.expiresAt);
    const environmentIds = request.environmentIds ?? null;
    const accessKey = newKey('ak', randomBytes);
    const client = {
      projectId,
      clientId: randomKey('ci', 16, randomBytes),
      name,
      accessKeyHash: accessKey.hash,
      accessKeyPrefix: accessKey.prefix,
      permissions,
      ...environmentsOf(environmentIds),
      expiresAt,
    };
    const made = await changes.createOnce(change, async (open) => {
      const { transaction } = open;
      await requireUnarchived(transaction, 'project', projectId);
      const allowed = await listActiveEnvironmentIds(transaction, projectId);
      requireNoErrors({ ...expiryErrors(expiresAt, open.now), ...environmentIdErrors(environmentIds, allowed) });
      const created = await insertApiClient(transaction, client, open.now);
      await open.record('apiClient', 'create', { after: created });
      return created;
    });
    if ('repeatedId' in made) return this.read(made.repeatedId);
    return recordReply(made.created, (client) => ({ ...apiClientResponse(client, now()), accessKey: accessKey.key }));
  }

  /**
   * Updates a client if it has not changed since the caller read it. Throws `invalid_request`, `precondition_failed`, or
   * `conflict` if the client is revoked or expired, or its project archived.
   */
  async update(
    apiClientId: string,
    sent: ControlPlaneSchemas['UpdateApiClientRequest'],
    change: ConditionalChange,
  ): Promise<RecordReply<ApiClientResponse>> {
    const { environmentIds, ...same } = sent;
    const values = { ...same, ...(environmentIds === undefined ? {} : environmentsOf(environmentIds)) };
    return this.options.changes.run(change, async (open) => {
      const { transaction, now } = open;
      const before = await lockActiveClient(open, apiClientId, change.ifMatch);
      // An environment that was archived meanwhile stays on the client's list until the caller removes it.
      const allowed = [...(await listActiveEnvironmentIds(transaction, before.projectId)), ...before.environmentIds];
      requireNoErrors(environmentIdErrors(environmentIds ?? null, allowed));
      const after = await changeApiClient(transaction, before.id, values);
      await open.record('apiClient', 'update', { before, after, details: { fields: Object.keys(sent) } });
      return apiClientReply(after, now);
    });
  }

  /**
   * Gives a client a new access key. The previous one stays valid for `overlapSeconds`. Throws `conflict` if the client
   * is revoked or expired, if its project is archived, or if an earlier key is still in its overlap and `overlapSeconds`
   * is not 0, which ends all earlier keys: only two keys are stored, and the earlier one was promised its overlap.
   * Throws `precondition_failed`.
   */
  async rotate(
    apiClientId: string,
    { overlapSeconds }: ControlPlaneSchemas['RotateKeyRequest'],
    change: ConditionalChange,
  ): Promise<RecordReply<CreatedApiClientResponse>> {
    const { changes, randomBytes } = this.options;
    const accessKey = newKey('ak', randomBytes);
    return changes.run(change, async (open) => {
      const { transaction, now } = open;
      const before = await lockActiveClient(open, apiClientId, change.ifMatch);
      if (overlapSeconds !== 0) requireNoOverlap(before, now);
      const after = await changeApiClient(transaction, before.id, {
        accessKeyHash: accessKey.hash,
        accessKeyPrefix: accessKey.prefix,
        accessKeyLastUsedAt: null,
        ...(overlapSeconds ? previousKeyOf(before, overlapEnd(overlapSeconds, now)) : noPreviousKey),
      });
      await open.record('apiClient', 'rotate', { before, after });
      return recordReply(after, (client) => ({ ...apiClientResponse(client, now), accessKey: accessKey.key }));
    });
  }

  /** Revokes a client for good; repeating it does nothing. Throws `precondition_failed`. */
  async revoke(apiClientId: string, change: ConditionalChange): Promise<void> {
    await this.options.changes.run(change, async (open) => {
      const { transaction, now } = open;
      const before = await lockApiClient(transaction, apiClientId);
      if (before.revokedAt !== null) return;
      requireMatch(before, change.ifMatch, 'API client');
      const after = await changeApiClient(transaction, before.id, { revokedAt: now });
      await open.record('apiClient', 'revoke', { before, after });
    });
  }
}

/**
 * Locks a client. Throws `conflict` if its keys are no longer valid or its project is archived, and
 * `precondition_failed`.
 */
async function lockActiveClient({ transaction, now }: OpenChange, id: string, ifMatch: IfMatch) {
  await requireParentUnarchived(transaction, 'project', 'api_client', id);
  const client = await lockApiClient(transaction, id);
  const status = keyStatus(client, now);
  if (status !== 'active') throw new Problem('conflict', `The API client is ${status}.`);
  requireMatch(client, ifMatch, 'API client');
  return client;
}

const noPreviousKey = {
  previousAccessKeyHash: null,
  previousAccessKeyUntil: null,
  previousAccessKeyPrefix: null,
  previousAccessKeyLastUsedAt: null,
};

/** The current access key as the previous one, which is valid until then. */
function previousKeyOf(client: ApiClientRecord, until: Date): Pick<ApiClientRecord, keyof typeof noPreviousKey> {
  return {
    previousAccessKeyHash: client.accessKeyHash,
    previousAccessKeyUntil: until,
    previousAccessKeyPrefix: client.accessKeyPrefix,
    previousAccessKeyLastUsedAt: client.accessKeyLastUsedAt,
  };
}

function requireNoOverlap({ previousAccessKeyUntil: until }: ApiClientRecord, now: Date): void {
  if (until === null || until <= now) return;
  throw new Problem(
    'conflict',
    `An earlier access key is valid until ${until.toISOString()}. Rotate again after that, or send overlapSeconds 0 ` +
      'to end all earlier keys at once.',
  );
}

/** The stored form of a request's environments; null for the whole project. */
function environmentsOf(environmentIds: string[] | null): { allEnvironments: boolean; environmentIds: string[] } {
  const ids = new Set(environmentIds?.map((id) => id.toLowerCase()));
  return { allEnvironments: environmentIds === null, environmentIds: [...ids] };
}

function requireNoErrors(errors: FieldErrors): void {
  if (Object.keys(errors).length > 0) throw invalidRequest(errors);
}

function apiClientReply(client: ApiClientRecord, now: Date): RecordReply<ApiClientResponse> {
  return recordReply(client, () => apiClientResponse(client, now));
}
