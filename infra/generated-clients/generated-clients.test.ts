import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { controlPlaneDocument, type OpenApiDocument, playbackDocument } from '@multi-drm/contracts';
import { type BodyExample, bodyExamples } from './examples';

const run = promisify(execFile);
// Inside the package, so that what is generated finds the packages that its users have.
const folder = mkdtempSync(join(__dirname, '.generated-'));
const documents: [string, OpenApiDocument][] = [
  ['control-plane', controlPlaneDocument],
  ['playback', playbackDocument],
];

afterAll(() => rmSync(folder, { recursive: true }));

const heyApiName = ({ operationId, status }: BodyExample) =>
  `hey.${operationId.replace(/^./, (letter) => letter.toUpperCase())}${status === undefined ? 'Data' : 'Responses'}`;

/** The type that each generator gives the body of an example: `[openapi-typescript, hey-api]`. */
function typesOf(example: BodyExample): [string, string] {
  const { operationId, status } = example;
  return status === undefined
    ? [
        `NonNullable<operations['${operationId}']['requestBody']>['content']['application/json']`,
        `NonNullable<${heyApiName(example)}['body']>`,
      ]
    : [
        `operations['${operationId}']['responses'][${status}]['content']['application/json']`,
        `${heyApiName(example)}[${status}]`,
      ];
}

/** A client's code that writes every example of a document down as a value of the generated types. */
function codeWithExamples(document: OpenApiDocument): string {
  const values = bodyExamples(document).map((example) => {
    const [first, second] = typesOf(example);
    const literal = JSON.stringify(example.value);
    return `{ const one: ${first} = ${literal}; const other: ${second} = ${literal}; use(one, other); }`;
  });
  return [
    "import type { operations } from './openapi-typescript';",
    "import type * as hey from './hey-api';",
    'const use = (...values: unknown[]): unknown => values;',
    ...values,
  ].join('\n');
}

/** Settings of one backend under the type of another, which neither generator may take. */
const wrongSettings = `
import type { components } from './openapi-typescript';
import type { LicenseBackendRequest } from './hey-api';
// @ts-expect-error a setting of Axinom's
export const one: components['schemas']['LicenseBackendRequest'] = { type: 'clearkey', communicationKey: 'x' };
// @ts-expect-error without the settings of DRMtoday
export const two: components['schemas']['LicenseBackendRequest'] = { type: 'drmtoday', url: 'https://a.example/' };
// @ts-expect-error without the settings of DRMtoday
export const three: LicenseBackendRequest = { type: 'drmtoday', url: 'https://a.example/' };
// @ts-expect-error no such type
export const four: LicenseBackendRequest = { type: 'vendor' };
`;

async function compile(): Promise<string> {
  const compilerOptions = {
    strict: true,
    noEmit: true,
    target: 'es2022',
    module: 'esnext',
    moduleResolution: 'bundler',
    lib: ['es2022', 'dom', 'dom.iterable'],
    types: [],
  };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*/**/*.ts'] }));
  // The workspace's own compiler: several times as fast as the one that the generators need.
  const compiler = join(__dirname, '../../node_modules/typescript/bin/tsc');
  const { stdout } = await run(process.execPath, [compiler, '-p', folder]).catch((error: { stdout: string }) => error);
  return stdout;
}

test('generated clients of both documents compile under strict, with every example of every body', async () => {
  const clients = documents.map(([name, document]) => {
    const client = join(folder, name);
    mkdirSync(client);
    writeFileSync(join(client, 'document.json'), JSON.stringify(document));
    writeFileSync(join(client, 'examples.ts'), codeWithExamples(document));
    return client;
  });
  await run(process.execPath, [join(__dirname, 'generate-clients.mjs'), ...clients]);
  writeFileSync(join(folder, 'control-plane/wrong-settings.ts'), wrongSettings);
  expect(await compile()).toBe('');
}, 240_000); // two generators and a compiler: seconds, and many times as long on a machine under load

test('the examples that compile are those of every kind of license backend, too', () => {
  const types = bodyExamples(controlPlaneDocument)
    .filter(({ operationId, status }) => operationId === 'configureDrmSystem' && status === undefined)
    .map(({ value }) => (value as { backend: { type: string } }).backend.type);
  const { LicenseBackendType } = controlPlaneDocument.components.schemas as { LicenseBackendType: { enum: string[] } };
  expect([...new Set(types)].sort()).toEqual([...LicenseBackendType.enum].sort());
});
