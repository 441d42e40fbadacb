import { startControlPlane, type TestControlPlane } from '../../testing/control-plane';
import { bearer, createTenant, type TestTenant } from '../../testing/records';

let controlPlane: TestControlPlane;
let tenant: TestTenant;

beforeAll(async () => {
  controlPlane = await startControlPlane();
});
beforeEach(async () => {
  tenant = await createTenant(controlPlane);
});

const url = () => `/api/v1/management/organizations/${tenant.organizationId}/projects`;
const createProject = (body: object) => controlPlane.api.post(url()).set(bearer(tenant.key)).send(body);
const listProjects = () => controlPlane.api.get(url()).set(bearer(tenant.key));

const drmSystems = (rest: { enabled: boolean; backend: string | null }) =>
  ['widevine', 'playready', 'fairplay', 'wiseplay'].map((drmSystem) => ({ drmSystem, ...rest }));

test('a project starts with a development environment that plays at once and a production environment that is set up on purpose', async () => {
  const { body } = await createProject({ name: 'Cinema', description: 'Films' }).expect(200);
  const times = { createdAt: '2026-03-01T10:00:00.000Z', updatedAt: '2026-03-01T10:00:00.000Z' };
  const environment = {
    environmentId: expect.any(String),
    projectId: body.projectId,
    status: 'active',
    settings: {
      defaultLicensePolicyTemplate: 'single-software',
      sessionLifetimeSeconds: 14_400,
      maximumConcurrentStreams: 3,
    },
    ...times,
  };
  expect(body).toEqual({
    projectId: expect.any(String),
    organizationId: tenant.organizationId,
    name: 'Cinema',
    description: 'Films',
    status: 'active',
    environments: [
      {
        ...environment,
        kind: 'development',
        name: 'Development',
        drmSystems: drmSystems({ enabled: true, backend: 'clearkey' }),
      },
      {
        ...environment,
        kind: 'production',
        name: 'Production',
        drmSystems: drmSystems({ enabled: false, backend: null }),
      },
    ],
    ...times,
  });
});

test('a new project marks its environments for publication and wakes the publisher', async () => {
  const wakes = controlPlane.wakes();
  const { body } = await createProject({ name: 'Cinema' }).expect(200);
  for (const { environmentId } of body.environments) {
    expect(await controlPlane.prisma.outboxEntry.findMany({ where: { documentId: environmentId } })).toMatchObject([
      { documentKind: 'environment' },
    ]);
  }
  expect(controlPlane.wakes()).toBe(wakes + 1);
});

test('projects are listed oldest first, without their environments, and without those of other organizations', async () => {
  const { now } = controlPlane.clock;
  for (const [name, milliseconds] of [
    ['Beta', 2],
    ['Alpha', 3],
    ['Gamma', 1],
  ] as const) {
    controlPlane.clock.now = new Date(now.getTime() + milliseconds);
    await createProject({ name }).expect(200);
  }
  await createTenant(controlPlane);
  const { body } = await listProjects().expect(200);
  expect(body.map(({ name }: { name: string }) => name)).toEqual(['Academy', 'Gamma', 'Beta', 'Alpha']);
  expect(body[0]).not.toHaveProperty('environments');
  expect(body[1].description).toBeNull();
});

test('projects of the same instant are listed in the order of their ids', async () => {
  for (let made = 0; made < 5; made += 1) await createProject({ name: 'Twin' }).expect(200);
  const ids = (await listProjects().expect(200)).body.map(({ projectId }: { projectId: string }) => projectId);
  expect(ids).toHaveLength(6);
  expect(ids).toEqual([...ids].sort());
});
