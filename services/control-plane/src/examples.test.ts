import { type ControlPlaneSchemas, controlPlaneDocument } from '@multi-drm/contracts';
import { backendDescriptors } from '@multi-drm/license-backends';
import { operationsOf } from '@multi-drm/service-kit';
import { type DocumentExample, differences, documentExamples } from '@multi-drm/testing';
import { operatorKey, startControlPlane, type TestControlPlane } from './testing/control-plane';
import { exampleOwnerKey, putExampleRecords } from './testing/example-records';
import { bearer } from './testing/records';

let controlPlane: TestControlPlane;

beforeAll(async () => {
  controlPlane = await startControlPlane();
});

/** Whether the records are still those used in the examples. */
let asShown = false;
beforeEach(async () => {
  if (!asShown) await putExampleRecords(controlPlane.prisma, controlPlane.clock.now);
  asShown = true;
});

/** Operations that only the operator may call. All others are sent with the organization's owner key. */
const operations = ['archiveOrganization', 'restoreOrganization'];

const send = ({ operationId, method, url, headers, body }: DocumentExample) =>
  controlPlane.api[method](url)
    .set(bearer(operations.includes(operationId) ? operatorKey : exampleOwnerKey))
    .set(headers)
    .send(body?.value as object | undefined);

const examples = documentExamples(controlPlaneDocument).map(
  (example) => [`${example.operationId}: ${example.name}`, example] as const,
);

test.each(examples)('the example of %s, sent unchanged, gets the response in the document', async (_, example) => {
  asShown = example.method === 'get';
  const { status, body } = await send(example);
  expect(body.code && [body.code, body.detail, body.errors]).toBeUndefined();
  expect(status).toBe(example.status);
  if (status !== 204) expect(differences(body, example.answer)).toEqual([]);
});

test('every operation has an example of each request body and each JSON response', () => {
  const shown = documentExamples(controlPlaneDocument);
  const silent = shown.filter(({ status, answer }) => status !== 204 && answer === undefined);
  expect(silent.map(({ operationId }) => operationId)).toEqual([]);
  const withBody = shown.filter(({ body }) => body !== undefined).map(({ operationId }) => operationId);
  const takeABody = operationsOf(controlPlaneDocument).filter(({ body }) => body !== 'none');
  expect([...new Set(withBody)].sort()).toEqual(takeABody.map(({ operationId }) => operationId).sort());
});

test('the example of every list contains an element', () => {
  const lists = documentExamples(controlPlaneDocument).filter(({ operationId }) => operationId.startsWith('list'));
  const empty = lists.filter(({ answer }) => {
    const items = (answer as { items?: unknown[] }).items ?? answer;
    return Array.isArray(items) && items.length === 0;
  });
  expect(empty.map(({ operationId }) => operationId)).toEqual([]);
});

test('every type of license backend has an example', () => {
  const configured = documentExamples(controlPlaneDocument)
    .filter(({ operationId }) => operationId === 'configureDrmSystem')
    .map(({ body }) => (body?.value as ControlPlaneSchemas['ConfigureDrmSystemRequest'] | undefined)?.backend?.type);
  expect([...new Set(configured)].sort()).toEqual(Object.keys(backendDescriptors).sort());
});
