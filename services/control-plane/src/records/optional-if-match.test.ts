import { someOf } from '@multi-drm/test-kit/fuzzing';
import type { Response } from 'supertest';
import { operatorKey, startControlPlane, type TestControlPlane } from '../testing/control-plane';
import { type OperationFacts, operationFacts, pathOn } from '../testing/operation-facts';
import { recordKinds } from '../testing/record-kinds';
import { bearer, createContent, createTenant } from '../testing/records';

let controlPlane: TestControlPlane;

beforeAll(async () => {
  controlPlane = await startControlPlane();
});

/** The operator may do everything. */
const call = async (
  method: OperationFacts['method'],
  path: string,
  ifMatch?: string,
  body?: object,
): Promise<Response> =>
  controlPlane.api[method](path)
    .set({ ...bearer(operatorKey), ...(ifMatch === undefined ? {} : { 'If-Match': ifMatch }) })
    .send(body);

const management = '/api/v1/management';
const content = async () =>
  `${management}/content/${await createContent(controlPlane, await createTenant(controlPlane))}`;

const recordPathOf = ({ path }: OperationFacts) => path.replace(/(?<=\})\/[\w-]+$/, '');

/** Creates a record that the operation may change; returns the paths of the operation and of the record. */
async function pathsOf(operation: OperationFacts) {
  const tenant = await createTenant(controlPlane);
  const { record = 'organizationId' } = operation;
  const { organizationId, projectId, development } = tenant;
  const id = await recordKinds[record].idIn(controlPlane, tenant);
  const records = { organizationId, projectId, environmentId: development, [record]: id };
  return { path: pathOn(operation, records), recordPath: pathOn({ path: recordPathOf(operation) }, records) };
}

const changes = operationFacts.filter(({ changes, creates }) => changes && !creates);
// A record without an ETag has no versions.
const versioned = operationFacts.filter(({ method, hasEtag }) => method === 'get' && hasEtag);
const readable = new Set(versioned.map(({ path }) => path));

test.each(changes.filter((operation) => readable.has(recordPathOf(operation))))(
  '$operationId, a change of a record that can be read, takes If-Match',
  ({ method, ifMatch }) => {
    expect(ifMatch).toBe(method === 'patch' ? 'required' : 'optional');
  },
);

const optional = changes.filter(({ ifMatch }) => ifMatch === 'optional');
const isRestore = ({ path }: OperationFacts) => path.endsWith('/restore');

const others = optional.filter((operation) => !isRestore(operation));

// Each operation gets two of the ETags, in turn, because one function reads them for all operations. `npm run long` tries all.
describe.each(others)('$operationId', (operation) => {
  const { method, exampleBody } = operation;
  const nth = others.indexOf(operation);
  let unchanged: ReturnType<typeof pathsOf> | undefined;

  test.each(someOf(['"2"', 'W/"2-gzip"', '1', ''], nth, 2))(
    'with the ETag %j, which does not match, changes nothing',
    async (ifMatch) => {
      unchanged ??= pathsOf(operation);
      const { path, recordPath } = await unchanged;
      const before = await call('get', recordPath);
      expect(before.headers.etag).toBe('"1"');
      expect(await call(method, path, ifMatch, exampleBody)).toMatchObject({
        status: 412,
        body: { code: 'precondition_failed' },
      });
      const after = await call('get', recordPath);
      expect([after.headers.etag, after.body]).toEqual([before.headers.etag, before.body]);
    },
  );

  test.each(someOf(['"1"', 'W/"7", "1-gzip"', '*', undefined], nth, 2))(
    'with the ETag %j succeeds',
    async (ifMatch) => {
      const { path } = await pathsOf(operation);
      const { status } = await call(method, path, ifMatch, exampleBody);
      expect(status).toBe(method === 'delete' ? 204 : 200);
    },
  );
});

describe.each(optional.filter(isRestore))('$operationId', (operation) => {
  test('with an ETag that does not match the archived record changes nothing, and succeeds with its own', async () => {
    const { path, recordPath } = await pathsOf(operation);
    expect((await call('delete', recordPath)).status).toBe(204);
    const before = await call('get', recordPath);
    expect(before.headers.etag).toBe('"2"');
    for (const ifMatch of ['"1"', '']) {
      const { body } = await call('post', path, ifMatch);
      expect(body).toMatchObject({ status: 412, code: 'precondition_failed' });
    }
    expect((await call('get', recordPath)).body).toEqual(before.body);
    expect((await call('post', path, '"2"')).headers.etag).toBe('"3"');
  });
});

test('archiving again succeeds, although its ETag is stale: nothing is left to change', async () => {
  const path = await content();
  expect((await call('delete', path, '"1"')).status).toBe(204);
  expect((await call('delete', path, '"1"')).status).toBe(204);
});

test('of concurrent calls with the same ETag, one changes the record', async () => {
  const path = `${await content()}/publish`;
  const answers = await Promise.all([1, 2, 3, 4].map(() => call('post', path, '"1"')));
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 412, 412, 412]);
  const { development } = await createTenant(controlPlane);
  const settings = `${management}/environments/${development}/drm-systems/widevine`;
  const configured = await Promise.all([1, 2, 3, 4].map(() => call('put', settings, '"1"', { enabled: false })));
  expect(configured.map(({ status }) => status).sort()).toEqual([200, 412, 412, 412]);
});
