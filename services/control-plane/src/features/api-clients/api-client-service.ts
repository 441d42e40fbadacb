import { type ControlPlaneSchemas, type FieldErrors, invalidRequest } from '@multi-drm/contracts';
import { hashOf, type RandomBytes, randomKey } from '../../access/keys';
import type { ApiClientStore } from './api-client-store';

interface ApiClientOptions {
  store: ApiClientStore;
  publisher: { wake(): void };
  now: () => Date;
  randomBytes: RandomBytes;
}

/** Credentials of customer backends. */
export class ApiClientService {
  constructor(private readonly options: ApiClientOptions) {}

  /** Makes a client with its access key, of which only the hash is kept. Throws `invalid_request`. */
  async create(
    projectId: string,
    { name, permissions, ...request }: ControlPlaneSchemas['CreateApiClientRequest'],
  ): Promise<ControlPlaneSchemas['CreatedApiClientResponse']> {
    const { store, publisher, randomBytes } = this.options;
    const now = this.options.now();
    const expiresAt = request.expiresAt === undefined ? null : new Date(request.expiresAt);
    const environmentIds = request.environmentIds?.map((id) => id.toLowerCase()) ?? null;
    const errors: FieldErrors = {
      ...(expiresAt === null || expiresAt > now ? {} : { expiresAt: ['must lie in the future'] }),
      ...(environmentIds === null ? {} : environmentFaults(environmentIds, await store.environmentIds(projectId))),
    };
    if (Object.keys(errors).length > 0) throw invalidRequest(errors);

    const accessKey = randomKey('ak', 32, randomBytes);
    const created = await store.create({
      projectId,
      clientId: randomKey('ci', 16, randomBytes),
      name,
      accessKeyHash: hashOf(accessKey),
      permissions,
      allEnvironments: environmentIds === null,
      environmentIds: [...new Set(environmentIds)],
      expiresAt,
      createdAt: now,
    });
    publisher.wake();
    return {
      apiClientId: created.id,
      projectId,
      clientId: created.clientId,
      accessKey,
      name,
      permissions,
      environmentIds: created.allEnvironments ? null : created.environmentIds,
      status: 'active',
      expiresAt: created.expiresAt?.toISOString() ?? null,
      createdAt: created.createdAt.toISOString(),
      lastUsedAt: null,
    };
  }
}

function environmentFaults(environmentIds: string[], ofProject: Set<string>): FieldErrors {
  return Object.fromEntries(
    environmentIds.flatMap((id, index) =>
      ofProject.has(id) ? [] : [[`environmentIds[${index}]`, ['is no environment of the project']]],
    ),
  );
}
