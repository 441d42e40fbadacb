import { type ControlPlaneSchemas, type FieldErrors, invalidRequest } from '@multi-drm/contracts';
import { expiryFaults, overlapEnd } from '../../access/key-lifetime';
import { hashOf, type RandomBytes, randomKey } from '../../access/keys';
import type { Change, ConditionalChange } from '../../records/change';
import { etagOf, parseIfMatch } from '../../records/if-match';
import { apiClientResponse } from './api-client-response';
import type { ApiClientRecord, ApiClientStore } from './api-client-store';

type ApiClientResponse = ControlPlaneSchemas['ApiClientResponse'];
type CreatedApiClientResponse = ControlPlaneSchemas['CreatedApiClientResponse'];

/** An API client, and the entity tag of its version. */
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

/** Credentials of customer backends. Of an access key only the hash is kept. */
export class ApiClientService {
  constructor(private readonly options: ApiClientOptions) {}

  /** Every client, oldest first, revoked ones too. */
  async list(projectId: string): Promise<ApiClientResponse[]> {
    const now = this.options.now();
    return (await this.options.store.list(projectId)).map((client) => apiClientResponse(client, now));
  }

  async read(apiClientId: string): Promise<Versioned<ApiClientResponse>> {
    return versioned(await this.options.store.read(apiClientId), this.options.now());
  }

  /** Makes a client with its access key; without that where the request came before. Throws `invalid_request`. */
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
      const errors = { ...expiryFaults(expiresAt, now), ...environmentFaults(request.environmentIds ?? [], ofProject) };
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
   * Changes a client, provided that nobody else did since the caller read it. Throws `invalid_request`,
   * `precondition_required`, `precondition_failed`, or `conflict` where the client is revoked or expired.
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
      const errors = environmentFaults(environmentIds ?? [], allowed);
      if (Object.keys(errors).length > 0) throw invalidRequest(errors);
    };
    const values = { ...same, ...environments };
    const updated = await store.update(apiClientId, parseIfMatch(ifMatch), values, check, change, now);
    publisher.wake();
    return versioned(updated, now);
  }

  /**
   * Gives a client a new access key. The one before opens for `overlapSeconds` more. Throws `conflict` where the client is
   * revoked or expired, or where an earlier key is in its overlap still and the caller does not say, with a 0, that every
   * key is to end. Throws `precondition_failed`.
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

  /** Takes a client's access for good; again does nothing more. Throws `precondition_failed`. */
  async revoke(apiClientId: string, change: ConditionalChange): Promise<void> {
    const { store, publisher, now } = this.options;
    await store.revoke(apiClientId, change, now());
    publisher.wake();
  }
}

/** What is stored of the environments that a request names; null: all of the project. */
function environmentsOf(environmentIds: string[] | null): { allEnvironments: boolean; environmentIds: string[] } {
  const ids = new Set(environmentIds?.map((id) => id.toLowerCase()));
  return { allEnvironments: environmentIds === null, environmentIds: [...ids] };
}

function versioned(client: ApiClientRecord, now: Date): Versioned<ApiClientResponse> {
  return { apiClient: apiClientResponse(client, now), etag: etagOf(client.version) };
}

/** The client with its access key, which is shown this once. */
function withAccessKey(
  { apiClient, etag }: Versioned<ApiClientResponse>,
  accessKey: string,
): Versioned<CreatedApiClientResponse> {
  return { apiClient: { ...apiClient, accessKey }, etag };
}

function environmentFaults(environmentIds: string[], ofProject: Set<string>): FieldErrors {
  return Object.fromEntries(
    environmentIds.flatMap((id, index) =>
      ofProject.has(id.toLowerCase()) ? [] : [[`environmentIds[${index}]`, ['is no environment of the project']]],
    ),
  );
}
