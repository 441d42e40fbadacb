import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { controlPlaneDocument, playbackDocument, servedDocument } from '@multi-drm/contracts';
import { installTools, run } from '@multi-drm/local/tools';
import { compileClients } from './compile-clients';
import { lostHeaders, type PostmanCollection } from './postman-headers';

/** A workspace of its own, installed only for this command. */
const tools = join(__dirname, '../tools');

/**
 * `npm run generated-clients`, on the built services: generates clients of both documents with tools that the workspace does not
 * install, compiles them under `strict`, and looks for headers that Postman's import lost. Resolves to the exit code.
 */
export async function main(): Promise<number> {
  installTools(tools);
  // Inside the folder, so that the generated code finds its dependencies.
  const folder = mkdtempSync(join(tools, '.generated-'));
  try {
    const clients = Object.entries({ 'control-plane': controlPlaneDocument, playback: playbackDocument }).map(
      ([name, document]) => ({ name, folder: join(folder, name), document: servedDocument(document) }),
    );
    for (const client of clients) {
      mkdirSync(client.folder);
      writeFileSync(join(client.folder, 'document.json'), JSON.stringify(client.document));
    }
    run([process.execPath, 'generate.mjs', ...clients.map((client) => client.folder)], tools);
    const messages = await compileClients(folder);
    const lost = clients.flatMap((client) => {
      const collection = JSON.parse(readFileSync(join(client.folder, 'postman.json'), 'utf8')) as PostmanCollection;
      return lostHeaders(client.document, collection).map((header) => `${client.name}: Postman lost ${header}`);
    });
    for (const line of [messages, ...lost]) if (line !== '') console.error(line);
    if (messages !== '' || lost.length > 0) return 1;
    console.log('The clients of both documents compile under strict, and the Postman collections have every header.');
    return 0;
  } finally {
    rmSync(folder, { recursive: true });
  }
}
