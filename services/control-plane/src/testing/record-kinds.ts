import { randomUUID } from 'node:crypto';
import type { TestControlPlane } from './control-plane';
import { createLicenseProfile, createRights } from './license-records';
import { bearer, createContent, type TestTenant } from './records';
import { storeEvent, storeSession } from './sessions';
import { storeDelivery } from './webhook-deliveries';

export type RecordParameter =
  | 'organizationId'
  | 'keyId'
  | 'projectId'
  | 'environmentId'
  | 'drmSystem'
  | 'rightsId'
  | 'licenseProfileId'
  | 'contentAssetId'
  | 'userId'
  | 'apiClientId'
  | 'sessionId'
  | 'eventId'
  | 'webhookEndpointId'
  | 'deliveryEventId';

/** A kind of record that paths name. */
interface RecordKind {
  noun: string;
  /** The kind of record that it belongs to. */
  parent?: 'organizationId' | 'projectId' | 'environmentId';
  /** Returns the id of a record of the tenant: a new one, unless each tenant has one. */
  idIn: (controlPlane: TestControlPlane, tenant: TestTenant) => Promise<string> | string;
}

/** Creates records in a list of the API. */
const createIn =
  (list: (tenant: TestTenant) => string, idField: RecordParameter, body: () => object): RecordKind['idIn'] =>
  async ({ api }, tenant) => {
    const created = api
      .post(`/api/v1/management/${list(tenant)}`)
      .set(bearer(tenant.key))
      .send(body());
    return (await created.expect(200)).body[idField];
  };

/** A row for every path parameter of the OpenAPI document. */
export const recordKinds: Record<RecordParameter, RecordKind> = {
  organizationId: { noun: 'organization', idIn: (_, { organizationId }) => organizationId },
  keyId: {
    noun: 'management key',
    parent: 'organizationId',
    idIn: createIn(
      ({ organizationId }) => `organizations/${organizationId}/management-keys`,
      'keyId',
      () => ({ name: 'Another owner', role: 'owner' }),
    ),
  },
  projectId: { noun: 'project', parent: 'organizationId', idIn: (_, { projectId }) => projectId },
  environmentId: { noun: 'environment', parent: 'projectId', idIn: (_, { development }) => development },
  drmSystem: { noun: 'DRM system', parent: 'environmentId', idIn: () => 'widevine' },
  rightsId: { noun: 'rights', parent: 'projectId', idIn: createRights },
  licenseProfileId: {
    noun: 'license profile',
    parent: 'projectId',
    idIn: (controlPlane, tenant) => createLicenseProfile(controlPlane, tenant, randomUUID()),
  },
  contentAssetId: { noun: 'content asset', parent: 'environmentId', idIn: createContent },
  userId: {
    noun: 'end user',
    parent: 'projectId',
    idIn: createIn(
      ({ projectId }) => `projects/${projectId}/users`,
      'userId',
      () => ({ subject: randomUUID() }),
    ),
  },
  apiClientId: {
    noun: 'API client',
    parent: 'projectId',
    idIn: createIn(
      ({ projectId }) => `projects/${projectId}/api-clients`,
      'apiClientId',
      () => ({ name: 'Backend', permissions: ['sessions:read'] }),
    ),
  },
  sessionId: {
    noun: 'session',
    parent: 'environmentId',
    idIn: ({ prisma }, { development }) => storeSession(prisma, development),
  },
  eventId: {
    noun: 'event',
    parent: 'environmentId',
    idIn: ({ prisma }, { development }) => storeEvent(prisma, development),
  },
  webhookEndpointId: {
    noun: 'webhook endpoint',
    parent: 'projectId',
    idIn: createIn(
      ({ projectId }) => `projects/${projectId}/webhook-endpoints`,
      'webhookEndpointId',
      // Nobody listens there.
      () => ({ url: 'http://127.0.0.1:9/events', types: ['*'] }),
    ),
  },
  deliveryEventId: {
    noun: 'delivery',
    parent: 'projectId',
    // To the endpoints that the project has: the path names one of them as well.
    idIn: async ({ prisma }, { projectId, development }) => {
      const eventId = await storeEvent(prisma, development);
      await storeDelivery(prisma, projectId, eventId);
      return eventId;
    },
  },
};

/** A value for each path parameter: a record of each kind that the tenant owns. */
export async function recordsOf(
  controlPlane: TestControlPlane,
  tenant: TestTenant,
): Promise<Record<RecordParameter, string>> {
  const ids: Partial<Record<RecordParameter, string>> = {};
  for (const [parameter, { idIn }] of Object.entries(recordKinds)) {
    ids[parameter as RecordParameter] = await idIn(controlPlane, tenant);
  }
  return ids as Record<RecordParameter, string>;
}
