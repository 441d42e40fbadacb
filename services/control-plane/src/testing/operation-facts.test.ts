import { controlPlaneDocument } from '@multi-drm/contracts';
import { operationsOf } from '@multi-drm/service-kit';
import { operationRows } from './operation-facts';
import { recordKinds } from './record-kinds';

const operations = operationsOf(controlPlaneDocument);

test('every operation has a row', () => {
  const without = operations.filter(({ operationId }) => !(operationId in operationRows));
  expect(without.map(({ operationId }) => operationId)).toEqual([]);
});

test('every path parameter has a kind of record', () => {
  const parameters = operations.flatMap(({ path }) => path.match(/(?<=\{)\w+/g) ?? []);
  expect(parameters.filter((parameter) => !(parameter in recordKinds))).toEqual([]);
});
