import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { controlPlaneDocument, type OpenApiDocument, playbackDocument, servedDocument } from '@multi-drm/contracts';
import { documentExamples } from '@multi-drm/test-kit';
import { compileClients } from './src/compile-clients';
import { lostHeaders } from './src/postman-headers';

const run = promisify(execFile);
// Inside the package, so that the generated code finds its dependencies.
const folder = mkdtempSync(join(__dirname, '.generated-'));
const documents: [string, OpenApiDocument][] = [
  ['control-plane', servedDocument(controlPlaneDocument)],
  ['playback', servedDocument(playbackDocument)],
];

afterAll(() => rmSync(folder, { recursive: true }));

/** The names that the two generators give to the types of an operation's request and success response. */
function typesOf(operationId: string, status: number) {
  const operation = `operations['${operationId}']`;
  const heyApi = `hey.${operationId.replace(/^./, (letter) => letter.toUpperCase())}`;
  return {
    request: [
      `NonNullable<${operation}['requestBody']>['content']['application/json']`,
      `NonNullable<${heyApi}Data['body']>`,
    ],
    answer: [`${operation}['responses'][${status}]['content']['application/json']`, `${heyApi}Responses[${status}]`],
  };
}

/** Client code that assigns every example of a document to the generated types. */
function codeWithExamples(document: OpenApiDocument): string {
  const values = documentExamples(document).flatMap(({ operationId, status, body, answer }) => {
    const types = typesOf(operationId, status);
    const written = (value: unknown, names: string[]) =>
      names.map((name) => `{ const value: ${name} = ${JSON.stringify(value)}; use(value); }`);
    return [
      ...(body?.type === 'application/json' ? written(body.value, types.request) : []),
      ...(answer === undefined ? [] : written(answer, types.answer)),
    ];
  });
  return [
    "import type { operations } from './openapi-typescript';",
    "import type * as hey from './hey-api';",
    'const use = (value: unknown): unknown => value;',
    ...values,
  ].join('\n');
}

/** Settings of one backend with the type of another, which the types of both generators must reject. */
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

test('generated clients of both documents compile in strict mode, with every example of every body', async () => {
  const clients = documents.map(([name, document]) => {
    const client = join(folder, name);
    mkdirSync(client);
    writeFileSync(join(client, 'document.json'), JSON.stringify(document));
    writeFileSync(join(client, 'examples.ts'), codeWithExamples(document));
    return client;
  });
  await run(process.execPath, [join(__dirname, 'generate-clients.mjs'), ...clients]);
  writeFileSync(join(folder, 'control-plane/wrong-settings.ts'), wrongSettings);
  expect(await compileClients(folder)).toBe('');
}, 240_000); // two generators and a compiler take seconds, and many times as long on a machine under load

test('the compiled examples include every kind of license backend', () => {
  const types = documentExamples(controlPlaneDocument)
    .filter(({ operationId }) => operationId === 'configureDrmSystem')
    .map(({ body }) => (body as { value: { backend: { type: string } } }).value.backend.type);
  const { LicenseBackendType } = controlPlaneDocument.components.schemas as { LicenseBackendType: { enum: string[] } };
  expect([...new Set(types)].sort()).toEqual([...LicenseBackendType.enum].sort());
});

test('a header that a Postman collection lost is found', () => {
  const document: OpenApiDocument = {
    openapi: '3.1.1',
    info: { title: 'Things', version: '1.0.0' },
    security: [{ secret: [], id: [] }],
    paths: {
      '/things': { get: { summary: 'List things', parameters: [{ in: 'header', name: 'If-Match' }] } },
      '/key': { get: { summary: 'Read the key', security: [] } },
      '/thing': { get: { summary: 'Read a thing', security: [{ token: [] }] } },
    },
    components: {
      schemas: {},
      securitySchemes: {
        secret: { type: 'apiKey', in: 'header', name: 'X-Secret' },
        id: { type: 'apiKey', in: 'header', name: 'X-Id' },
        token: { type: 'http' },
      },
    },
  };
  const collection = {
    auth: { type: 'apikey', apikey: [{ key: 'key', value: 'X-Secret' }] },
    item: [
      {
        name: 'Things',
        item: [
          { name: 'List things', request: { header: [{ key: 'If-Match' }] } },
          { name: 'Read the key', request: {} },
          { name: 'Read a thing', request: { auth: { type: 'bearer' } } },
        ],
      },
    ],
  };
  expect(lostHeaders(document, collection)).toEqual(['List things: X-Id']);
});

test('the page on generated clients names the tools with the versions that are checked', () => {
  const page = readFileSync(join(__dirname, '../../docs/generated-clients.md'), 'utf8');
  const named = [...page.matchAll(/^\| `([^`]+)`[^|]*\| (\d+\.\d+\.\d+) /gm)].map(([, tool, version]) => [
    tool,
    version,
  ]);
  const packages = ['package.json', 'tools/package.json'].map(
    (file) =>
      JSON.parse(readFileSync(join(__dirname, file), 'utf8')) as Record<string, Record<string, string> | undefined>,
  );
  const installed = packages.flatMap(({ dependencies, devDependencies }) =>
    Object.entries({ ...dependencies, ...devDependencies }),
  );
  const workspace = readFileSync(join(__dirname, '../../pnpm-workspace.yaml'), 'utf8');
  const versionOf = (name: string, version: string | undefined) =>
    version === 'catalog:' ? new RegExp(`^  ${name}: (.+)$`, 'm').exec(workspace)?.[1] : version;
  const tools = installed
    .filter(([name]) => /openapi|orval|swagger/.test(name))
    .map(([name, version]) => [name, versionOf(name, version)]);
  expect(named.sort()).toEqual(tools.sort());
});
