import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { queriesIn } from './queries';

const source = join(__dirname, '../../services/control-plane/src');

/** The queries in the files of a folder of the control plane, each with its file. */
const queriesOf = (folder: string) =>
  readdirSync(join(source, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
    .map((name) => join(folder, name))
    .flatMap((file) => queriesIn(readFileSync(join(source, file), 'utf8')).map((query) => `${file}: ${query}`));

test('features, records, access, secrets and what admits calls leave queries to stores', () => {
  expect(['features', 'records', 'access', 'secrets', 'admission', 'plans'].flatMap(queriesOf)).toEqual([
    'records/run-change.ts: $transaction', // every change begins here
    'secrets/rotate-secrets.ts: $transaction', // no change of a caller: the secrets stay the same
  ]);
});

test('the queries of the stores are found', () => {
  expect(new Set(queriesOf('stores').map((query) => query.split(':')[0])).size).toBeGreaterThan(10);
});

test.each([
  ['await open.transaction.project.count({ where })', 1],
  ['await this.options.database.$queryRaw`SELECT 1`', 1],
  ['await lockProject(open.transaction, projectId)', 0],
])('%s has %i queries', (text, count) => {
  expect(queriesIn(text)).toHaveLength(count);
});

test('stores hold no rules: they throw no problems', () => {
  const stores = readdirSync(join(source, 'stores')).filter((name) => !name.endsWith('.test.ts'));
  const throwing = stores.filter((name) =>
    /\bProblem\b|invalidRequest/.test(readFileSync(join(source, 'stores', name), 'utf8')),
  );
  expect(throwing).toEqual([]);
});
