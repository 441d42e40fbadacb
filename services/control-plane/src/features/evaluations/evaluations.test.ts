import { randomUUID } from 'node:crypto';
import type { ControlPlaneSchemas } from '@multi-drm/contracts';
import { startControlPlane, type TestControlPlane } from '../../testing/control-plane';
import { bearer, createContent, createManagementKey, createTenant, type TestTenant } from '../../testing/records';
import { startSession, storeEvent } from '../../testing/sessions';

let controlPlane: TestControlPlane;
let tenant: TestTenant;
let viewer: string;

const management = '/api/v1/management';

beforeAll(async () => {
  controlPlane = await startControlPlane();
});
beforeEach(async () => {
  tenant = await createTenant(controlPlane);
  viewer = await createManagementKey(controlPlane, tenant.organizationId, { role: 'viewer' });
  const { api } = controlPlane;
  const contentAssetId = await createContent(controlPlane, tenant, { contentId: 'film' });
  await api.post(`${management}/content/${contentAssetId}/publish`).set(bearer(tenant.key)).expect(200);
  await api
    .put(`${management}/environments/${tenant.development}/drm-systems/widevine`)
    .set(bearer(tenant.key))
    .send({ enabled: true, backend: { type: 'http', url: 'https://license.example.com/', responseFormat: 'raw' } })
    .expect(200);
});

const send = (asked: object = {}) =>
  controlPlane.api
    .post(`${management}/environments/${tenant.development}/sessions/evaluations`)
    .set(bearer(viewer))
    .send({ subject: 'viewer-17', contentId: 'film', drmSystem: 'widevine', ...asked });
const evaluate = async (asked?: object): Promise<ControlPlaneSchemas['SessionEvaluationResponse']> =>
  (await send(asked).expect(200)).body;
const synchronize = (body: object) =>
  controlPlane.api.post(`${management}/projects/${tenant.projectId}/users`).set(bearer(tenant.key)).send(body);
const lastStep = ({ steps }: { steps: object[] }) => steps.at(-1);

test('a viewer who may play is told so, with the limit and the rules', async () => {
  const evaluation = await evaluate();
  expect(evaluation).toMatchObject({ allowed: true, code: null, limit: 3, activeSessions: 0 });
  expect(evaluation.steps).toContainEqual(expect.objectContaining({ rule: 'viewer_status', outcome: 'passed' }));
});

test('a blocked viewer is distinguished from others', async () => {
  await synchronize({ subject: 'viewer-17', status: 'blocked' }).expect(200);
  const evaluation = await evaluate();
  expect(evaluation).toMatchObject({ allowed: false, code: 'subject_blocked' });
  expect(lastStep(evaluation)).toMatchObject({ rule: 'viewer_status', outcome: 'refused' });
  expect(await evaluate({ subject: 'viewer-18' })).toMatchObject({ allowed: true });
});

test('a viewer that was erased while it was blocked is reported as blocked', async () => {
  const { body: user } = await synchronize({ subject: 'viewer-17', status: 'blocked' }).expect(200);
  await controlPlane.api.delete(`${management}/users/${user.userId}`).set(bearer(tenant.key)).expect(204);
  expect(await evaluate()).toMatchObject({ allowed: false, code: 'subject_blocked' });
});

test("a viewer at the limit is told how many sessions are active; the viewer's own limit counts", async () => {
  for (let session = 1; session <= 3; session += 1) {
    const started = { subject: 'viewer-17', sessionId: randomUUID() };
    await startSession(controlPlane, tenant.development, started);
  }
  const evaluation = await evaluate();
  const code = 'concurrent_stream_limit_reached';
  expect(evaluation).toMatchObject({ allowed: false, code, limit: 3, activeSessions: 3 });
  expect(lastStep(evaluation)).toMatchObject({ detail: '3 of 3 streams are in use.' });
  await synchronize({ subject: 'viewer-17', maximumConcurrentStreams: 4 }).expect(200);
  expect(await evaluate()).toMatchObject({ allowed: true, limit: 4 });
});

test.each([
  ['content_not_found', { contentId: 'another' }],
  ['manifest_not_available', { drmSystem: 'fairplay' }],
  ['license_policy_template_not_found', { licensePolicyTemplate: 'unknown' }],
])('%s is the code that playback would give', async (code, asked) => {
  expect(await evaluate(asked)).toMatchObject({ allowed: false, code, limit: null });
});

test('a subject of the sandbox is told the refusal that playback gives, in development only', async () => {
  const subject = 'sandbox:content_not_available';
  const evaluation = await evaluate({ subject });
  expect(evaluation).toMatchObject({ allowed: false, code: 'content_not_available', limit: null });
  expect(evaluation.steps).toMatchObject([{ rule: 'sandbox', outcome: 'refused' }]);
  expect(await evaluate({ subject: 'sandbox-license:license_backend_refused' })).toMatchObject({ allowed: true });
  const { body } = await controlPlane.api
    .post(`${management}/environments/${tenant.production}/sessions/evaluations`)
    .set(bearer(viewer))
    .send({ subject, contentId: 'film', drmSystem: 'widevine' })
    .expect(200);
  expect(body.steps).not.toContainEqual(expect.objectContaining({ rule: 'sandbox' }));
});

test('a license profile of the project can be named', async () => {
  const profile = {
    name: 'premium',
    maximumHeight: 720,
    tracks: [
      {
        trackTypes: ['AUDIO', 'SD', 'HD'],
        widevine: { securityLevel: 1, hdcp: '1.0' },
        playready: { securityLevel: 2000, outputProtection: 'hdcp' },
        fairplay: { hdcp: 'type0' },
        wiseplay: { securityLevel: 1, outputControl: 1 },
      },
    ],
  };
  const url = `${management}/projects/${tenant.projectId}/license-profiles`;
  await controlPlane.api.post(url).set(bearer(tenant.key)).send(profile).expect(200);
  const { steps } = await evaluate({ licensePolicyTemplate: 'premium' });
  expect(steps).toContainEqual(expect.objectContaining({ rule: 'maximum_height', detail: 'At most 720 lines.' }));
});

describe('the license backend', () => {
  const at = (minutesAgo: number) => new Date(controlPlane.clock.now.getTime() - minutesAgo * 60_000);
  const store = (event: Parameters<typeof storeEvent>[2]) =>
    storeEvent(controlPlane.prisma, tenant.development, { time: at(1), ...event });
  const health = async () => (await evaluate()).licenseBackend;

  test('is unknown without license requests in the last five minutes, whatever happened at others or before', async () => {
    await store({ type: 'license.issued', time: at(6) });
    await store({ type: 'license.issued', drmSystem: 'playready' });
    expect(await health()).toEqual({ health: 'unknown', issued: 0, refused: [] });
  });

  test('is ok while licenses are issued, even if rules refuse some', async () => {
    await store({ type: 'license.issued' });
    await store({ type: 'license.refused', code: 'session_expired' });
    const refused = [{ code: 'session_expired', count: 2 }];
    expect(await health()).toEqual({ health: 'ok', issued: 2, refused });
  });

  test('is not changed by requests that the sandbox has refused', async () => {
    await store({ type: 'license.refused', code: 'license_backend_unavailable', sandbox: true });
    expect(await health()).toEqual({ health: 'unknown', issued: 0, refused: [] });
  });

  test('is degraded if some requests fail at the server, and failing if all do', async () => {
    await store({ type: 'license.refused', code: 'license_backend_unavailable' });
    expect((await health()).health).toBe('failing');
    await store({ type: 'license.issued' });
    expect((await health()).health).toBe('degraded');
  });
});

test('in an archived environment nothing can be played', async () => {
  const { prisma } = controlPlane;
  await prisma.environment.update({ where: { id: tenant.development }, data: { status: 'archived' } });
  expect((await send().expect(409)).body.code).toBe('conflict');
});
