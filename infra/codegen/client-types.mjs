// Writes the types of the playback client, from the documents that generate.mjs has bundled: only the schemas that it uses, so that the
// package can be published without the documents.
// Usage: node client-types.mjs PACKAGE_FOLDER   → src/generated/playback.ts, src/generated/webhook-events.ts
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import openapiTypescript, { astToString } from 'openapi-typescript';

const documents = resolve(fileURLToPath(import.meta.url), '../../../packages/contracts/src/generated');
const generated = resolve(process.argv[2] ?? '.', 'src/generated');
mkdirSync(generated, { recursive: true });

const playback = read('playback');
await writeTypes('playback', playback.components.schemas, [
  'CreatePlaybackSessionRequest',
  'PlaybackSessionResponse',
  'ActivePlaybackSessionsResponse',
  'PlaybackEvaluationResponse',
  'StreamLimitProblemDetails',
]);

const { webhooks, components } = read('control-plane');
const events = Object.values(webhooks).map(({ post }) => post.requestBody.content['application/json'].schema);
const schemas = { ...components.schemas, WebhookEvent: { description: 'What a webhook receives.', oneOf: events } };
await writeTypes('webhook-events', schemas, ['WebhookEvent']);

function read(name) {
  return JSON.parse(readFileSync(join(documents, `${name}.json`), 'utf8'));
}

/** Writes the types of these schemas and of those that they refer to. */
async function writeTypes(name, all, names) {
  const used = new Set(names);
  for (const schema of used) {
    for (const [, other] of JSON.stringify(all[schema]).matchAll(/"#\/components\/schemas\/([^"]+)"/g)) used.add(other);
  }
  const chosen = Object.fromEntries(Object.entries(all).filter(([schema]) => used.has(schema)));
  const document = {
    openapi: '3.1.1',
    info: { title: name, version: '1' },
    paths: {},
    components: { schemas: chosen },
  };
  const types = await openapiTypescript(document, { alphabetize: false });
  writeFileSync(join(generated, `${name}.ts`), astToString(types));
}
