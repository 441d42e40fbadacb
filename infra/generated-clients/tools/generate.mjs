// Generates clients of an OpenAPI document with the tools of this folder, and a Postman collection, as integrators would.
// Usage: generate.mjs FOLDER…   FOLDER/document.json → FOLDER/orval-fetch.ts, orval-zod.ts, swagger-typescript-api.ts, postman.json
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import postman from 'openapi-to-postmanv2';
import { generate } from 'orval';
import { generateApi } from 'swagger-typescript-api';

for (const folder of process.argv.slice(2)) {
  const document = join(folder, 'document.json');
  for (const client of ['fetch', 'zod']) {
    await generate({ input: document, output: { target: join(folder, `orval-${client}.ts`), client, mode: 'single' } });
  }
  await generateApi({ input: document, output: folder, fileName: 'swagger-typescript-api.ts', silent: true });
  // The options of Postman's own import.
  const input = { type: 'string', data: readFileSync(document, 'utf8') };
  const { result, reason, output } = await promisify(postman.convert)(input, {});
  if (!result) throw new Error(`openapi-to-postmanv2: ${reason}`);
  writeFileSync(join(folder, 'postman.json'), JSON.stringify(output[0].data));
}
