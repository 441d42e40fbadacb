import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

interface Finding {
  ruleId: string;
  severity: string;
  message: string;
  location: { pointer: string; source: { ref: string } }[];
}

const folder = mkdtempSync(join(tmpdir(), 'lint-rules-'));
afterAll(() => rmSync(folder, { recursive: true }));

const thing = {
  type: 'object',
  required: ['name', 'owner'],
  properties: { name: { type: 'string' }, owner: { $ref: '#/components/schemas/Owner' } },
};
const owner = { type: 'object', required: ['id'], properties: { id: { type: 'string' } } };

/** Lints a document whose only operation has this example, with the rules of the product's documents. */
function lint(example: unknown): { status: number | null; findings: Finding[] } {
  const body = {
    schema: { $ref: '#/components/schemas/Thing' },
    examples: { example: { $ref: 'examples.json#/createThingRequest' } },
  };
  const operation = {
    operationId: 'createThing',
    requestBody: { content: { 'application/json': body } },
    responses: {},
  };
  const document = {
    openapi: '3.1.1',
    info: { title: 'Things', version: '1.0.0' },
    paths: { '/things': { post: operation } },
    components: { schemas: { Thing: thing, Owner: owner } },
  };
  writeFileSync(join(folder, 'examples.json'), JSON.stringify({ createThingRequest: { value: example } }));
  const file = join(folder, 'openapi.json');
  writeFileSync(file, JSON.stringify(document));
  const redocly = join(dirname(require.resolve('@redocly/cli/package.json')), 'bin/cli.js');
  const args = [redocly, 'lint', file, '--config', join(__dirname, '../redocly.yaml'), '--format', 'json'];
  const { status, stdout } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  const { problems } = JSON.parse(stdout) as { problems: Finding[] };
  return { status, findings: problems.filter(({ ruleId }) => /example/.test(ruleId)) };
}

test('an example without a required property is an error that names the example and the schema', () => {
  const { status, findings } = lint({ owner: {} });
  expect(status).toBe(1);
  const own = findings.filter(({ ruleId }) => ruleId === 'reader/example-completeness');
  expect(own.map(({ message }) => message)).toEqual([
    'Example `createThingRequest` has no `name`, which the schema `Thing` requires.',
    'Example `createThingRequest` has no `owner.id`, which the schema `Owner` requires.',
  ]);
  expect(own[1]?.location[0]).toMatchObject({
    source: { ref: expect.stringMatching(/examples\.json$/) },
    pointer: '#/createThingRequest/value/owner',
  });
  expect(new Set(findings.map(({ severity }) => severity))).toEqual(new Set(['error']));
});

test('an example that its schema does not accept for another reason is an error, too', () => {
  const { findings } = lint({ name: 1, owner: { id: 'a' } });
  expect(findings).toEqual([expect.objectContaining({ ruleId: 'no-invalid-media-type-examples', severity: 'error' })]);
});
