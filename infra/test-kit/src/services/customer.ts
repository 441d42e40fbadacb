import { randomBytes, randomUUID } from 'node:crypto';
import type { ControlPlaneSchemas, PlaybackSchemas } from '@multi-drm/contracts';

export type Session = PlaybackSchemas['PlaybackSessionResponse'];

/** The services that a customer calls. */
export interface Addresses {
  controlPlaneUrl: string;
  playbackUrl: string;
}

/** The credentials of a customer backend. */
export interface ApiClient {
  apiClientId: string;
  clientId: string;
  accessKey: string;
}

/** The headers with which a customer backend calls playback. */
export const credentialsOf = ({
  clientId,
  accessKey,
}: Pick<ApiClient, 'clientId' | 'accessKey'>): Record<string, string> => ({
  'X-SERVICE-Client-Id': clientId,
  'X-SERVICE-Client-Secret': accessKey,
});

/** Sends JSON; resolves to the response body, or rejects with status and text if it is not a success. */
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

/** A customer with a project, from the view of its administrator and its backend. */
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

  /** The same customer with other service instances or another API client. */
  with(changes: { addresses?: Addresses; apiClient?: ApiClient }): Customer {
    const { addresses = this.addresses, apiClient = this.apiClient } = changes;
    return new Customer(addresses, this.organizationId, this.managementKey, this.projectId, this.siteId, apiClient);
  }

  /** Resolves when the control plane has responded. */
  async createApiClient(permissions = ['license-tokens:create']): Promise<ApiClient> {
    const { accessKey = '', ...client } = await this.manage<ControlPlaneSchemas['CreatedApiClientResponse']>(
      'POST',
      `/projects/${this.projectId}/api-clients`,
      { name: 'Backend', permissions },
    );
    return { ...client, accessKey };
  }

  /** The header with the administrator's management key. */
  get authorization(): { Authorization: string } {
    return { Authorization: `Bearer ${this.managementKey}` };
  }

  /** Calls the management API; `path` is relative to `/api/v1/management`. */
  manage<Answer>(
    method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
    path: string,
    body?: object,
    headers: Record<string, string> = {},
  ): Promise<Answer> {
    const url = `${this.addresses.controlPlaneUrl}/api/v1/management${path}`;
    return send(method, url, body, { ...this.authorization, ...headers });
  }

  /** Publishes content with one key. Resolves when the control plane has responded. */
  async publish(contentId: string, keyId: string = randomUUID()): Promise<void> {
    const { contentAssetId } = await this.manage<ControlPlaneSchemas['ContentAssetResponse']>(
      'POST',
      `/environments/${this.siteId}/content`,
      {
        contentId,
        kind: 'vod',
        title: 'A lesson',
        manifests: [{ type: 'dash', url: 'https://cdn.example.com/a.mpd', drmSystems: ['widevine'] }],
        // A development environment uses ClearKey, which has no license for content without keys.
        keys: [
          { keyId, trackTypes: ['AUDIO', 'SD', 'HD'], key: randomBytes(16).toString('hex') },
        ] satisfies ControlPlaneSchemas['ContentKeyRequest'][],
      },
    );
    await this.manage('POST', `/content/${contentAssetId}/publish`);
  }

  /** The part of `.local/quickstart.json`, which `npm start` writes, that commands read. */
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

  /** Plays as soon as playback knows the content; resolves to the milliseconds this took. */
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
