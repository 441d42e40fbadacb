// Searches the built site as its search box does, with the options of VitePress (VPLocalSearchBox.vue).
// Usage: search.mjs SITE_FOLDER QUERY…   Prints {QUERY: [address of a section, best first]} as JSON.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import MiniSearch from 'minisearch';

const [site, ...queries] = process.argv.slice(2);
const chunks = join(site, 'assets/chunks');
const [name] = readdirSync(chunks).filter((file) => file.startsWith('@localSearchIndexroot'));
// The file is a module that exports the index, although its name says otherwise to Node.
const code = readFileSync(join(chunks, name), 'utf8');
const { default: index } = await import(`data:text/javascript;base64,${Buffer.from(code).toString('base64')}`);

const search = MiniSearch.loadJSON(index, {
  fields: ['title', 'titles', 'text'],
  storeFields: ['title', 'titles'],
  searchOptions: { fuzzy: 0.2, prefix: true, boost: { title: 4, text: 2, titles: 1 } },
});
const shown = 16;
const found = queries.map((query) => [
  query,
  search
    .search(query)
    .slice(0, shown)
    .map(({ id }) => id),
]);
process.stdout.write(JSON.stringify(Object.fromEntries(found)));
