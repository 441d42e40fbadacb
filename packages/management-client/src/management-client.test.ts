import { inspect } from 'node:util';
import { startControlPlane, type TestControlPlane } from '../../../services/control-plane/src/testing/control-plane';
import { createTenant, newRegistration, type TestTenant } from '../../../services/control-plane/src/testing/records';
import { createManagementClient, type ManagementClient, ManagementProblem } from './index';

let controlPlane: TestControlPlane;
let tenant: TestTenant;
let management: ManagementClient;

beforeAll(async () => {
  controlPlane = await startControlPlane();
  tenant = await createTenant(controlPlane);
  management = createManagementClient({ url: controlPlane.url, credential: tenant.key });
});

const project = () => ({ params: { path: { projectId: tenant.projectId } } });
const projectPath = '/api/v1/management/projects/{projectId}';
const apiClientsPath = '/api/v1/management/projects/{projectId}/api-clients';
const usagePath = '/api/v1/management/environments/{environmentId}/usage';
const refusalOf = async (call: Promise<unknown>): Promise<ManagementProblem> => {
  const error = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error instanceof ManagementProblem) return error;
  throw new Error('no refusal', { cause: error });
};

test('a record is read with its version, and changed only if it still has that version', async () => {
  const read = await management.GET(projectPath, project());
  expect(read.data).toMatchObject({ projectId: tenant.projectId, name: 'Academy' });
  expect(read.etag).toBe('"1"');

  const changed = await management.PATCH(projectPath, { ...project(), body: { name: 'School' }, ifMatch: read.etag });
  expect([changed.data.name, changed.etag]).toEqual(['School', '"2"']);

  const stale = management.PATCH(projectPath, { ...project(), body: { name: 'Late' }, ifMatch: read.etag });
  expect(await refusalOf(stale)).toMatchObject({ code: 'precondition_failed', status: 412, retryable: false });
  expect(await refusalOf(management.PATCH(projectPath, { ...project(), body: { name: 'Blind' } }))).toMatchObject({
    code: 'precondition_required',
  });
  expect((await management.GET(projectPath, project())).data.name).toBe('School');
});

test('a create that is repeated with its idempotency key makes one record', async () => {
  const create = (name: string) =>
    management.POST(apiClientsPath, {
      ...project(),
      body: { name, permissions: ['license-tokens:create'] },
      idempotencyKey: 'one-create',
    });
  const [first, again] = [await create('Shop'), await create('Shop')];
  expect(again.data.apiClientId).toBe(first.data.apiClientId);
  expect([typeof first.data.accessKey, again.data.accessKey]).toEqual(['string', undefined]);
  expect(await refusalOf(create('Other'))).toMatchObject({ code: 'idempotency_key_reused', status: 422 });
});

test('a problem names the request and each invalid field', async () => {
  const error = await refusalOf(management.PATCH(projectPath, { ...project(), body: { name: ' ' }, ifMatch: '*' }));
  expect(error).toMatchObject({
    name: 'ManagementProblem',
    code: 'invalid_request',
    status: 400,
    requestId: expect.stringMatching(/^[\da-f-]{36}$/),
    errors: { name: ['must not be blank'] },
    problem: { instance: `/api/v1/management/projects/${tenant.projectId}` },
  });
  expect(error.message).toBe(`invalid_request: ${error.problem.detail} (request ${error.requestId})`);
});

test('a registration needs no credential, an operation without a response body has no data, and CSV is text', async () => {
  const { data } = await createManagementClient({ url: controlPlane.url }).POST('/api/v1/organizations/registrations', {
    body: newRegistration(),
  });
  const { key } = data.managementKey ?? { key: '' };
  const other = createManagementClient({ url: controlPlane.url, credential: key });
  const created = await other.POST('/api/v1/management/organizations/{organizationId}/projects', {
    params: { path: { organizationId: data.organizationId } },
    body: { name: 'Short-lived' },
  });
  const archived = await other.DELETE(projectPath, { params: { path: { projectId: created.data.projectId } } });
  expect([archived.response.status, archived.data, archived.etag]).toEqual([204, undefined, undefined]);

  const { data: csv } = await management.GET(usagePath, {
    params: { path: { environmentId: tenant.development }, query: { from: '2026-03-01T00:00:00Z' } },
    headers: { Accept: 'text/csv' },
    parseAs: 'text',
  });
  expect(csv).toMatch(/^start,/);
});

test('a credential that expires is asked for before each call', async () => {
  const credentials = [tenant.key, 'mk_expired'];
  const changing = createManagementClient({ url: controlPlane.url, credential: async () => credentials.shift() ?? '' });
  expect((await changing.GET(projectPath, project())).data.projectId).toBe(tenant.projectId);
  expect(await refusalOf(changing.GET(projectPath, project()))).toMatchObject({ code: 'authentication_required' });
});

test('no error and no inspection shows the credential', async () => {
  const secret = 'mk_secret-of-this-test';
  const clientOf = (url: string, credential = secret) => createManagementClient({ url, credential });
  const shown = (value: unknown) => inspect(value, { depth: null, showHidden: true });
  const errorOf = (client: ManagementClient) =>
    client.GET(projectPath, project()).then(
      () => '',
      (error: unknown) => `${shown(error)} ${JSON.stringify(error)} ${String(error)}`,
    );
  const client = clientOf(controlPlane.url);
  expect(`${shown(client)} ${JSON.stringify(client)}`).not.toContain(secret);
  const errors = [
    await errorOf(client),
    await errorOf(clientOf('http://127.0.0.1:1')),
    await errorOf(clientOf('no address')),
    await errorOf(clientOf(controlPlane.url, `${secret}\n`)),
  ];
  const expected = ['authentication_required', 'NoAnswerError', 'TypeError', 'TypeError'];
  expect(errors).toEqual(expected.map((name) => expect.stringContaining(name)));
  for (const error of errors) expect(error).not.toContain(secret);
});
