// Bundles each OpenAPI document of a package into src/generated/<name>.json and writes its types to src/generated/<name>.ts. The problem codes
// of the documents, and the tables of docs/errors.md, come from the package's problem registry.
// Usage: node generate.mjs PACKAGE_FOLDER   (documents: openapi/<name>/openapi.yaml)
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { bundle, createConfig } from '@redocly/openapi-core';
import openapiTypescript, { astToString } from 'openapi-typescript';
import { addProblemCodes, loadProblems, writeErrorsPage } from './problems.mjs';

const root = resolve(process.argv[2] ?? '.');
const generated = join(root, 'src/generated');
mkdirSync(generated, { recursive: true });

const names = readdirSync(join(root, 'openapi')).filter((name) =>
  existsSync(join(root, 'openapi', name, 'openapi.yaml')),
);
const problems = loadProblems(root);
const config = await createConfig({});

for (const name of names) {
  const ref = join(root, 'openapi', name, 'openapi.yaml');
  const {
    bundle: { parsed: document },
    problems: unresolved,
  } = await bundle({ ref, config });
  if (unresolved.length > 0) throw new Error(unresolved.map(({ message }) => message).join('\n'));
  addProblemCodes(document, problems[name]);
  writeFileSync(join(generated, `${name}.json`), `${JSON.stringify(document, null, 2)}\n`);
  const types = await openapiTypescript(document, { alphabetize: false });
  writeFileSync(join(generated, `${name}.ts`), astToString(types));
}
writeErrorsPage(join(root, '../../docs/errors.md'), problems);
