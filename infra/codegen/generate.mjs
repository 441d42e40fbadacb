#!/usr/bin/env node
// Bundles each OpenAPI document of a package into src/generated/<name>.json and writes its types to src/generated/<name>.ts. The problem codes
// of the documents, and the tables of docs/errors.md, come from the package's problem registry.
// Usage: multi-drm-codegen PACKAGE_FOLDER   (documents: openapi/<name>/openapi.yaml)
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import openapiTypescript, { astToString } from 'openapi-typescript';
import { addProblemCodes, loadProblems, writeErrorsPage } from './problems.mjs';

const root = resolve(process.argv[2] ?? '.');
const generated = join(root, 'src/generated');
mkdirSync(generated, { recursive: true });

const require = createRequire(import.meta.url);
const redoclyPackage = require.resolve('@redocly/cli/package.json');
const redocly = join(dirname(redoclyPackage), require(redoclyPackage).bin.redocly);
const names = readdirSync(join(root, 'openapi')).filter((name) =>
  existsSync(join(root, 'openapi', name, 'openapi.yaml')),
);
const problems = loadProblems(root);

for (const name of names) {
  const output = join(generated, `${name}.json`);
  const bundle = [
    'bundle',
    join(root, 'openapi', name, 'openapi.yaml'),
    '--config',
    join(root, 'redocly.yaml'),
    '-o',
    output,
  ];
  const { status, stderr } = spawnSync(process.execPath, [redocly, ...bundle], { encoding: 'utf8' });
  if (status !== 0) {
    process.stderr.write(stderr);
    process.exit(1);
  }
  const document = JSON.parse(readFileSync(output, 'utf8'));
  addProblemCodes(document, problems[name]);
  writeFileSync(output, `${JSON.stringify(document, null, 2)}\n`);
  const types = await openapiTypescript(document, { alphabetize: false });
  writeFileSync(join(generated, `${name}.ts`), astToString(types));
}
writeErrorsPage(join(root, '../../docs/errors.md'), problems);
