import { randomBytes, randomUUID } from 'node:crypto';
import type { ControlPlaneSchemas, PlaybackSchemas } from '@multi-drm/contracts';

export type Session = PlaybackSchemas['PlaybackSessionResponse'];

/** Where a customer's calls go. */
export interface Addresses {
  controlPlaneUrl: string;
  playbackUrl: string;
}

/** Credentials of a customer's backend. */
export interface ApiClient {
  apiClientId: string;
  clientId: string;
  accessKey: string;
}

/** The headers by which a customer's backend calls playback. */
export const credentialsOf = ({ clientId, accessKey }: ApiClient): Record<string, string> => ({
  'X-SERVICE-Client-Id': clientId,
  'X-SERVICE-Client-Secret': accessKey,
});

/** Sends JSON; resolves to the answer's body, rejects with status and text where it is no success. */
export async function send<Answer>(
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
  url: string,
  body: object | undefined,
  headers: Record<string, string>,
): Promise<Answer> {
  const response = await fetch(url, {
    method,
    headers: { ...(body === undefined ? {} : { 'Content-Type': 'application/json' }), ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${url}: ${response.status} ${text}`);
  return (text === '' ? undefined : JSON.parse(text)) as Answer;
}

/** A customer with a project, as its administrator and its backend see it. */
export class Customer {
  private constructor(
    private readonly addresses: Addresses,
    readonly organizationId: string,
    private readonly managementKey: string,
    readonly projectId: string,
    readonly siteId: string,
    readonly apiClient: ApiClient,
  ) {}

  static async register(addresses: Addresses): Promise<Customer> {
    const name = randomUUID();
    const { organizationId, managementKey } = await send<ControlPlaneSchemas['CompanyRegistrationResponse']>(
      'POST',
      `${addresses.controlPlaneUrl}/api/v1/organizations/registrations`,
      {
        companyName: name,
        country: 'DE',
        administrator: { name: 'Ada', email: `${name}@example.com` },
        agreement: { version: '2026-01', accepted: true },
      },
      {},
    );
    const management = `${addresses.controlPlaneUrl}/api/v1/management`;
    const authorization = { Authorization: `Bearer ${managementKey.key}` };
    const { projectId, environments = [] } = await send<ControlPlaneSchemas['ProjectResponse']>(
      'POST',
      `${management}/organizations/${organizationId}/projects`,
      { name: 'Lessons' },
      authorization,
    );
    const { accessKey = '', ...client } = await send<ControlPlaneSchemas['CreatedApiClientResponse']>(
      'POST',
      `${management}/projects/${projectId}/api-clients`,
      { name: 'Backend', permissions: ['license-tokens:create'] },
      authorization,
    );
    const siteId = environments.find(({ kind }) => kind === 'development')?.environmentId ?? '';
    return new Customer(addresses, organizationId, managementKey.key, projectId, siteId, { ...client, accessKey });
  }

  /** The same customer, calling other instances of the services, or with another API client's credentials. */
  with(changes: { addresses?: Addresses; apiClient?: ApiClient }): Customer {
    const { addresses = this.addresses, apiClient = this.apiClient } = changes;
    return new Customer(addresses, this.organizationId, this.managementKey, this.projectId, this.siteId, apiClient);
  }

  /** Resolves when the control plane has answered. */
  async createApiClient(permissions = ['license-tokens:create']): Promise<ApiClient> {
    const { accessKey = '', ...client } = await this.manage<ControlPlaneSchemas['CreatedApiClientResponse']>(
      'POST',
      `/projects/${this.projectId}/api-clients`,
      { name: 'Backend', permissions },
    );
    return { ...client, accessKey };
  }

  /** Of its administrator. */
  get authorization(): { Authorization: string } {
    return { Authorization: `Bearer ${this.managementKey}` };
  }

  /** A call of the management area, below `/api/v1/management`. */
  manage<Answer>(
    method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
    path: string,
    body?: object,
    headers: Record<string, string> = {},
  ): Promise<Answer> {
    const url = `${this.addresses.controlPlaneUrl}/api/v1/management${path}`;
    return send(method, url, body, { ...this.authorization, ...headers });
  }

  /** Publishes content of one key. Resolves when the control plane has answered. */
  async publish(contentId: string, keyId: string = randomUUID()): Promise<void> {
    const { contentAssetId } = await this.manage<ControlPlaneSchemas['ContentAssetResponse']>(
      'POST',
      `/environments/${this.siteId}/content`,
      {
        contentId,
        kind: 'vod',
        title: 'A lesson',
        manifests: [{ type: 'dash', url: 'https://cdn.example.com/a.mpd', drmSystems: ['widevine'] }],
        // A development environment answers with ClearKey, which has no license for content without keys.
        keys: [
          { keyId, trackTypes: ['AUDIO', 'SD', 'HD'], key: randomBytes(16).toString('hex') },
        ] satisfies ControlPlaneSchemas['ContentKeyRequest'][],
      },
    );
    await this.manage('POST', `/content/${contentAssetId}/publish`);
  }

  /** What commands read of `.local/quickstart.json`, which `npm start` writes. */
  quickstart(): object {
    return {
      ...this.addresses,
      managementKey: this.managementKey,
      environments: { development: this.siteId },
      apiClient: this.apiClient,
    };
  }

  /** Creates or changes a viewer. */
  synchronize(viewer: ControlPlaneSchemas['SynchronizeEndUserRequest']): Promise<unknown> {
    return this.manage('POST', `/projects/${this.projectId}/users`, viewer);
  }

  revokeApiClient(): Promise<unknown> {
    return this.manage('DELETE', `/api-clients/${this.apiClient.apiClientId}`);
  }

  play(contentId: string, subject: string, playbackUrl = this.addresses.playbackUrl): Promise<Session> {
    return send<Session>(
      'POST',
      `${playbackUrl}/api/v1/playback/environments/${this.siteId}/sessions`,
      { contentId, contentType: 'vod', drmSystem: 'widevine', subject, useEnvironmentDefaults: true },
      credentialsOf(this.apiClient),
    );
  }

  /** Plays once playback has heard of the content; resolves to the milliseconds that this took. */
  async followed(contentId: string, playbackUrl = this.addresses.playbackUrl): Promise<number> {
    const since = performance.now();
    for (;;) {
      const session = await this.play(contentId, randomUUID(), playbackUrl).catch(() => undefined);
      if (session !== undefined) return performance.now() - since;
    }
  }
}

export const release = ({ release: { url }, drm: { drmLicenseToken } }: Session): Promise<unknown> =>
  send('POST', url, undefined, { Authorization: `Bearer ${drmLicenseToken}` });
