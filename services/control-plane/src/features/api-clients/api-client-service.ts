import { type ControlPlaneSchemas, type FieldErrors, invalidRequest } from '@multi-drm/contracts';
import { expiryFaults, overlapEnd } from '../../access/key-lifetime';
import { hashOf, type RandomBytes, randomKey } from '../../access/keys';
import type { Change } from '../../records/change';
import { apiClientResponse } from './api-client-response';
import type { ApiClientStore } from './api-client-store';

type ApiClientResponse = ControlPlaneSchemas['ApiClientResponse'];
type CreatedApiClientResponse = ControlPlaneSchemas['CreatedApiClientResponse'];

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

  /** Makes a client with its access key; without that where the request came before. Throws `invalid_request`. */
  async create(
    projectId: string,
    { name, permissions, ...request }: ControlPlaneSchemas['CreateApiClientRequest'],
    change: Change,
  ): Promise<CreatedApiClientResponse> {
    const { store, publisher, randomBytes } = this.options;
    const now = this.options.now();
    const expiresAt = request.expiresAt === undefined ? null : new Date(request.expiresAt);
    const environmentIds = request.environmentIds?.map((id) => id.toLowerCase()) ?? null;
    const check = (ofProject: Set<string>): void => {
      const errors = { ...expiryFaults(expiresAt, now), ...environmentFaults(environmentIds ?? [], ofProject) };
      if (Object.keys(errors).length > 0) throw invalidRequest(errors);
    };
    const accessKey = randomKey('ak', 32, randomBytes);
    const client = {
      projectId,
      clientId: randomKey('ci', 16, randomBytes),
      name,
      accessKeyHash: hashOf(accessKey),
      permissions,
      allEnvironments: environmentIds === null,
      environmentIds: [...new Set(environmentIds)],
      expiresAt,
    };
    const outcome = await store.create(client, check, change, now);
    if ('repeatedId' in outcome) return apiClientResponse(await store.read(outcome.repeatedId), now);
    publisher.wake();
    return { ...apiClientResponse(outcome.created, now), accessKey };
  }

  /**
   * Gives a client a new access key. The one before opens for `overlapSeconds` more. Throws `conflict` where the client is
   * revoked or expired, or where an earlier key is in its overlap still and the caller does not say, with a 0, that every
   * key is to end.
   */
  async rotate(
    apiClientId: string,
    { overlapSeconds }: ControlPlaneSchemas['RotateKeyRequest'],
    change: Change,
  ): Promise<CreatedApiClientResponse> {
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
    return { ...apiClientResponse(client, now), accessKey };
  }

  /** Takes a client's access for good; again does nothing more. */
  async revoke(apiClientId: string, change: Change): Promise<void> {
    const { store, publisher, now } = this.options;
    await store.revoke(apiClientId, change, now());
    publisher.wake();
  }
}

function environmentFaults(environmentIds: string[], ofProject: Set<string>): FieldErrors {
  return Object.fromEntries(
    environmentIds.flatMap((id, index) =>
      ofProject.has(id) ? [] : [[`environmentIds[${index}]`, ['is no environment of the project']]],
    ),
  );
}
