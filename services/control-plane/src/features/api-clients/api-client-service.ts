import { type ControlPlaneSchemas, type FieldErrors, invalidRequest } from '@multi-drm/contracts';
import { expiryErrors, overlapEnd } from '../../access/key-lifetime';
import { hashOf, type RandomBytes, randomKey } from '../../access/keys';
import type { Change, ConditionalChange } from '../../records/change';
import { etagOf, parseIfMatch } from '../../records/if-match';
import { apiClientResponse } from './api-client-response';
import type { ApiClientRecord, ApiClientStore } from './api-client-store';

type ApiClientResponse = ControlPlaneSchemas['ApiClientResponse'];
type CreatedApiClientResponse = ControlPlaneSchemas['CreatedApiClientResponse'];

/** An API client and its ETag. */
interface Versioned<Response> {
  apiClient: Response;
  etag: string;
}

interface ApiClientOptions {
  store: ApiClientStore;
  publisher: { wake(): void };
  now: () => Date;
  randomBytes: RandomBytes;
}

/** Credentials of customer backends. Only the hash of an access key is stored. */
export class ApiClientService {
  constructor(private readonly options: ApiClientOptions) {}

  /** All clients including revoked ones, oldest first. */
  async list(projectId: string): Promise<ApiClientResponse[]> {
    const now = this.options.now();
    return (await this.options.store.list(projectId)).map((client) => apiClientResponse(client, now));
  }

  async read(apiClientId: string): Promise<Versioned<ApiClientResponse>> {
    return versioned(await this.options.store.read(apiClientId), this.options.now());
  }

  /**
   * Creates a client with its access key; a repeated request gets the same client without the key. Throws
   * `invalid_request`.
   */
  async create(
    projectId: string,
    { name, permissions, ...request }: ControlPlaneSchemas['CreateApiClientRequest'],
    change: Change,
  ): Promise<Versioned<CreatedApiClientResponse>> {
    const { store, publisher, randomBytes } = this.options;
    const now = this.options.now();
    const expiresAt = request.expiresAt === undefined ? null : new Date(request.expiresAt);
    const environments = environmentsOf(request.environmentIds ?? null);
    const check = (ofProject: Set<string>): void => {
      const errors = { ...expiryErrors(expiresAt, now), ...environmentErrors(request.environmentIds ?? [], ofProject) };
      if (Object.keys(errors).length > 0) throw invalidRequest(errors);
    };
    const accessKey = randomKey('ak', 32, randomBytes);
    const client = {
      projectId,
      clientId: randomKey('ci', 16, randomBytes),
      name,
      accessKeyHash: hashOf(accessKey),
      permissions,
      ...environments,
      expiresAt,
    };
    const outcome = await store.create(client, check, change, now);
    if ('repeatedId' in outcome) return versioned(await store.read(outcome.repeatedId), now);
    publisher.wake();
    return withAccessKey(versioned(outcome.created, now), accessKey);
  }

  /**
   * Updates a client if it has not changed since the caller read it. Throws `invalid_request`, `precondition_required`,
   * `precondition_failed`, or `conflict` if the client is revoked or expired.
   */
  async update(
    apiClientId: string,
    ifMatch: string | undefined,
    { environmentIds, ...same }: ControlPlaneSchemas['UpdateApiClientRequest'],
    change: Change,
  ): Promise<Versioned<ApiClientResponse>> {
    const { store, publisher } = this.options;
    const now = this.options.now();
    const environments = environmentIds === undefined ? undefined : environmentsOf(environmentIds);
    const check = (allowed: Set<string>): void => {
      const errors = environmentErrors(environmentIds ?? [], allowed);
      if (Object.keys(errors).length > 0) throw invalidRequest(errors);
    };
    const values = { ...same, ...environments };
    const updated = await store.update(apiClientId, parseIfMatch(ifMatch), values, check, change, now);
    publisher.wake();
    return versioned(updated, now);
  }

  /**
   * Gives a client a new access key. The previous one stays valid for `overlapSeconds`. Throws `conflict` if the client
   * is revoked or expired, or if an earlier key is still in its overlap and `overlapSeconds` is not 0, which ends all
   * earlier keys. Throws `precondition_failed`.
   */
  async rotate(
    apiClientId: string,
    { overlapSeconds }: ControlPlaneSchemas['RotateKeyRequest'],
    change: ConditionalChange,
  ): Promise<Versioned<CreatedApiClientResponse>> {
    const { store, publisher, randomBytes } = this.options;
    const now = this.options.now();
    const accessKey = randomKey('ak', 32, randomBytes);
    const rotation = {
      accessKeyHash: hashOf(accessKey),
      previousUntil: overlapSeconds ? overlapEnd(overlapSeconds, now) : null,
      endsEarlierKeys: overlapSeconds === 0,
    };
    const client = await store.rotate(apiClientId, rotation, change, now);
    publisher.wake();
    return withAccessKey(versioned(client, now), accessKey);
  }

  /** Revokes a client for good; repeating it does nothing. Throws `precondition_failed`. */
  async revoke(apiClientId: string, change: ConditionalChange): Promise<void> {
    const { store, publisher, now } = this.options;
    await store.revoke(apiClientId, change, now());
    publisher.wake();
  }
}

/** The stored form of a request's environments; null for the whole project. */
function environmentsOf(environmentIds: string[] | null): { allEnvironments: boolean; environmentIds: string[] } {
  const ids = new Set(environmentIds?.map((id) => id.toLowerCase()));
  return { allEnvironments: environmentIds === null, environmentIds: [...ids] };
}

function versioned(client: ApiClientRecord, now: Date): Versioned<ApiClientResponse> {
  return { apiClient: apiClientResponse(client, now), etag: etagOf(client.version) };
}

/** The client with its access key, which is shown only this once. */
function withAccessKey(
  { apiClient, etag }: Versioned<ApiClientResponse>,
  accessKey: string,
): Versioned<CreatedApiClientResponse> {
  return { apiClient: { ...apiClient, accessKey }, etag };
}

function environmentErrors(environmentIds: string[], ofProject: Set<string>): FieldErrors {
  return Object.fromEntries(
    environmentIds.flatMap((id, index) =>
      ofProject.has(id.toLowerCase()) ? [] : [[`environmentIds[${index}]`, ['must be an environment of the project']]],
    ),
  );
}
