// Generates TypeScript clients of an OpenAPI document with two generators, as integrators would.
// Usage: generate-clients.mjs FOLDER…   FOLDER/document.json → FOLDER/openapi-typescript.ts, FOLDER/hey-api/
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createClient } from '@hey-api/openapi-ts';
import openapiTypescript, { astToString } from 'openapi-typescript';

for (const folder of process.argv.slice(2)) {
  const document = join(folder, 'document.json');
  const types = await openapiTypescript(JSON.parse(readFileSync(document, 'utf8')));
  writeFileSync(join(folder, 'openapi-typescript.ts'), astToString(types));
  await createClient({
    input: document,
    output: join(folder, 'hey-api'),
    logs: { level: 'silent', file: false },
  });
}
