import { randomUUID } from 'node:crypto';
import { controlPlaneDocument } from '@multi-drm/contracts';
import { operationsOf } from '@multi-drm/service-kit';
import { startControlPlane, type TestControlPlane } from '../testing/control-plane';
import { bearer, createContent, createTenant, type TestTenant } from '../testing/records';

let controlPlane: TestControlPlane;
let ours: TestTenant;
let theirs: TestTenant;
let theirRecords: Record<string, string>;

beforeAll(async () => {
  controlPlane = await startControlPlane();
  ours = await createTenant(controlPlane);
  theirs = await createTenant(controlPlane);
  theirRecords = {
    organizationId: theirs.organizationId,
    projectId: theirs.projectId,
    environmentId: theirs.production,
    contentAssetId: await createContent(controlPlane, theirs),
  };
});

const operations = operationsOf(controlPlaneDocument).filter(({ path }) => path.includes('{'));

/** Calls an operation with our key; what it answers, without the path that it repeats. */
async function call({ method, path }: (typeof operations)[number], idOf: (parameter: string) => string, body: object) {
  const url = path.replaceAll(/\{(\w+)\}/g, (_braces, parameter: string) => idOf(parameter));
  const response = await controlPlane.api[method](url)
    .set(bearer(ours.key))
    .set('X-Request-Id', 'the-same-request')
    .set('If-Match', '*')
    .send(body);
  const { date: _date, 'content-length': _length, ...headers } = response.headers;
  return { status: response.status, headers, text: response.text.replaceAll(url, '<path>') };
}

test('every operation below the management area names one record of a tenant', () => {
  expect(operations.map(({ path }) => path.match(/\{\w+\}/g)?.length)).toEqual(operations.map(() => 1));
  expect(operations.length).toBe(
    Object.keys(controlPlaneDocument.paths)
      .filter((path) => path.includes('/management/'))
      .flatMap((path) => Object.keys(controlPlaneDocument.paths[path] ?? {}))
      .filter((method) => method !== 'parameters').length,
  );
});

describe.each([
  ['an empty body', {}],
  ['a full body', { name: 'x', settings: { sessionLifetimeSeconds: 60 }, permissions: ['sessions:read'] }],
])('with %s', (_case, body) => {
  test.each(operations)(
    "$operationId answers another organization's record like one that does not exist",
    async (operation) => {
      const foreign = await call(operation, (parameter) => theirRecords[parameter] ?? 'unknown parameter', body);
      const unknown = await call(operation, () => randomUUID(), body);
      expect(foreign.status).toBe(404);
      expect(foreign).toEqual(unknown);
      expect(JSON.parse(foreign.text).code).toBe('not_found');
    },
  );
});
