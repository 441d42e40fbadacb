import { type ControlPlaneSchemas, type FieldErrors, invalidRequest, Problem } from '@multi-drm/contracts';
import type { AddressGuard, Secrets } from '@multi-drm/service-kit';
import type { RandomBytes } from '../../access/credentials';
import { overlapEnd } from '../../access/key-lifetime';
import type { Database, Transaction } from '../../database/database';
import type { Change, ConditionalChange } from '../../records/change';
import type { Changes } from '../../records/changes';
import { type RecordReply, recordReply } from '../../records/record-reply';
import { requireMatch } from '../../records/require-changeable';
import { requireUnarchived } from '../../records/require-unarchived';
import { webhookEndpointResponse } from '../../responses/webhook-endpoints';
import { listActiveEnvironmentIds } from '../../stores/environments';
import { lockRow } from '../../stores/lock-row';
import {
  changeWebhookEndpoint,
  countWebhookEndpoints,
  insertWebhookEndpoint,
  listWebhookEndpoints,
  lockWebhookEndpoint,
  readWebhookEndpoint,
  type WebhookEndpointRecord,
  type WebhookEndpointValues,
} from '../../stores/webhook-endpoints';
import { deleteWebhookReplays } from '../../stores/webhook-replays';
import { environmentIdErrors } from '../environment-id-errors';
import { lockUsableWebhookEndpoint } from './lock-usable-webhook-endpoint';
import { webhookEndpointErrors } from './webhook-endpoint-validation';
import { newWebhookSecret, WebhookSecrets } from './webhook-secrets';

type WebhookEndpointResponse = ControlPlaneSchemas['WebhookEndpointResponse'];
type CreatedWebhookEndpointResponse = ControlPlaneSchemas['CreatedWebhookEndpointResponse'];

/** How many webhook endpoints a project may have. */
const maximumEndpoints = 20;

/** How long events are also signed with the previous secret, unless the caller says otherwise. */
const overlapSecondsByDefault = 86_400;

interface WebhookEndpointOptions {
  database: Database;
  changes: Changes;
  secrets: Secrets;
  /** Decides which addresses webhook endpoints may have. */
  webhookGuard: AddressGuard;
  now: () => Date;
  randomBytes: RandomBytes;
  randomUuid: () => string;
}

/** Where events of a project are sent. */
export class WebhookEndpointService {
  constructor(private readonly options: WebhookEndpointOptions) {}

  /** All endpoints in use, oldest first. */
  async list(projectId: string): Promise<WebhookEndpointResponse[]> {
    const { database, now } = this.options;
    const time = now();
    return (await listWebhookEndpoints(database, projectId)).map((endpoint) => webhookEndpointResponse(endpoint, time));
  }

  async read(webhookEndpointId: string): Promise<RecordReply<WebhookEndpointResponse>> {
    const { database, now } = this.options;
    return replyOf(await readWebhookEndpoint(database, webhookEndpointId), now());
  }

  /**
   * Creates an endpoint with its secret; a repeated request gets the same endpoint without the secret. Throws `invalid_request`,
   * `service_unavailable`, or `conflict` if the project has the most endpoints that it may have.
   */
  async create(
    projectId: string,
    sent: ControlPlaneSchemas['CreateWebhookEndpointRequest'],
    change: Change,
  ): Promise<RecordReply<CreatedWebhookEndpointResponse>> {
    const { changes, secrets, webhookGuard, randomBytes, randomUuid } = this.options;
    const errors = webhookEndpointErrors(sent, webhookGuard);
    const secret = newWebhookSecret(randomBytes);
    const id = randomUuid();
    const sealed = new WebhookSecrets(secrets, id);
    const endpoint = {
      id,
      projectId,
      url: sent.url,
      description: sent.description ?? null,
      types: sent.types,
      environmentIds: storedIds(sent.environmentIds),
      enabled: sent.enabled ?? true,
      maximumPerSecond: sent.maximumPerSecond ?? null,
      secret: sealed.sealSecret(secret),
      secretHeaders: sealed.sealHeaders(sent.secretHeaders ?? {}),
    };
    const made = await changes.createOnce(change, async (open) => {
      const { transaction } = open;
      await lockRow(transaction, 'project', projectId); // so that two concurrent creates are counted
      await requireUnarchived(transaction, 'project', projectId);
      const allowed = await listActiveEnvironmentIds(transaction, projectId);
      requireNoErrors({ ...errors, ...environmentIdErrors(sent.environmentIds ?? null, allowed) });
      await requireRoomForEndpoint(transaction, projectId);
      const created = await insertWebhookEndpoint(transaction, endpoint, open.now);
      await open.record('webhookEndpoint', 'create', { after: created });
      return created;
    });
    if ('repeatedId' in made) return this.read(made.repeatedId);
    return this.replyWith(secret, made.created);
  }

  /**
   * Updates an endpoint if it has not changed since the caller read it. Throws `invalid_request`, `precondition_failed`,
   * `service_unavailable`, or `conflict` if the endpoint is removed or its project archived.
   */
  async update(
    webhookEndpointId: string,
    sent: ControlPlaneSchemas['UpdateWebhookEndpointRequest'],
    change: ConditionalChange,
  ): Promise<RecordReply<WebhookEndpointResponse>> {
    const { changes, secrets, webhookGuard } = this.options;
    const errors = webhookEndpointErrors(sent, webhookGuard);
    const { environmentIds, secretHeaders, ...same } = sent;
    return changes.run(change, async (open) => {
      const { transaction, now } = open;
      const before = await lockUsableWebhookEndpoint(transaction, webhookEndpointId, change.ifMatch);
      // An environment that was archived meanwhile stays on the endpoint's list until the caller removes it.
      const allowed = [...(await listActiveEnvironmentIds(transaction, before.projectId)), ...before.environmentIds];
      requireNoErrors({ ...errors, ...environmentIdErrors(environmentIds ?? null, allowed) });
      const values: WebhookEndpointValues = {
        ...same,
        ...(environmentIds === undefined ? {} : { environmentIds: storedIds(environmentIds) }),
        ...(secretHeaders === undefined
          ? {}
          : { secretHeaders: new WebhookSecrets(secrets, before.id).sealHeaders(secretHeaders) }),
        ...(same.enabled === true && !before.enabled ? notDisabled : {}),
      };
      const after = await changeWebhookEndpoint(transaction, before.id, values, now);
      await open.record('webhookEndpoint', 'update', { before, after, details: { fields: Object.keys(sent) } });
      return replyOf(after, now);
    });
  }

  /**
   * Gives an endpoint a new secret. Events are also signed with the previous one for `overlapSeconds`. Throws `precondition_failed`,
   * `service_unavailable`, or `conflict` if the endpoint is removed, if its project is archived, or if an earlier secret is still in its
   * overlap and `overlapSeconds` is not 0, which ends all earlier secrets: receivers were promised that overlap.
   */
  async rotate(
    webhookEndpointId: string,
    { overlapSeconds = overlapSecondsByDefault }: ControlPlaneSchemas['RotateWebhookEndpointRequest'],
    change: ConditionalChange,
  ): Promise<RecordReply<CreatedWebhookEndpointResponse>> {
    const { changes, secrets, randomBytes } = this.options;
    const secret = newWebhookSecret(randomBytes);
    const after = await changes.run(change, async (open) => {
      const { transaction, now } = open;
      const before = await lockUsableWebhookEndpoint(transaction, webhookEndpointId, change.ifMatch);
      if (overlapSeconds !== 0) requireNoOverlap(before, now);
      const previous =
        overlapSeconds === 0
          ? noPreviousSecret
          : { previousSecret: before.secret, previousSecretExpiresAt: overlapEnd(overlapSeconds, now) };
      const values = { secret: new WebhookSecrets(secrets, before.id).sealSecret(secret), ...previous };
      const rotated = await changeWebhookEndpoint(transaction, before.id, values, now);
      await open.record('webhookEndpoint', 'rotate', { before, after: rotated });
      return rotated;
    });
    return this.replyWith(secret, after);
  }

  /** Removes an endpoint for good, with its secrets; repeating it does nothing. Throws `precondition_failed`. */
  async remove(webhookEndpointId: string, change: ConditionalChange): Promise<void> {
    await this.options.changes.run(change, async (open) => {
      const { transaction, now } = open;
      const before = await lockWebhookEndpoint(transaction, webhookEndpointId);
      if (before.removedAt !== null) return;
      requireMatch(before, change.ifMatch, 'webhook endpoint');
      await deleteWebhookReplays(transaction, before.id);
      const nothing = { enabled: false, secret: '', ...noPreviousSecret, secretHeaders: {} };
      const after = await changeWebhookEndpoint(transaction, before.id, { ...nothing, removedAt: now }, now);
      await open.record('webhookEndpoint', 'remove', { before, after });
    });
  }

  private replyWith(secret: string, endpoint: WebhookEndpointRecord): RecordReply<CreatedWebhookEndpointResponse> {
    return recordReply(endpoint, (row) => ({ ...webhookEndpointResponse(row, this.options.now()), secret }));
  }
}

const noPreviousSecret = { previousSecret: null, previousSecretExpiresAt: null };

/** An endpoint that is enabled again has five days again. */
const notDisabled = { disabledAt: null, disabledReason: null, failingSince: null };

async function requireRoomForEndpoint(transaction: Transaction, projectId: string): Promise<void> {
  if ((await countWebhookEndpoints(transaction, projectId)) < maximumEndpoints) return;
  throw new Problem(
    'conflict',
    `The project has ${maximumEndpoints} webhook endpoints, which is the most it may have.`,
  );
}

function requireNoOverlap({ previousSecretExpiresAt: until }: WebhookEndpointRecord, now: Date): void {
  if (until === null || until <= now) return;
  throw new Problem(
    'conflict',
    `Events are also signed with an earlier secret until ${until.toISOString()}. Rotate again after that, or send ` +
      'overlapSeconds 0 to end all earlier secrets at once.',
  );
}

/** The stored form of a request's environments: empty for all. */
function storedIds(environmentIds: string[] | null | undefined): string[] {
  return [...new Set(environmentIds?.map((id) => id.toLowerCase()))];
}

function requireNoErrors(errors: FieldErrors): void {
  if (Object.keys(errors).length > 0) throw invalidRequest(errors);
}

function replyOf(endpoint: WebhookEndpointRecord, now: Date): RecordReply<WebhookEndpointResponse> {
  return recordReply(endpoint, () => webhookEndpointResponse(endpoint, now));
}
