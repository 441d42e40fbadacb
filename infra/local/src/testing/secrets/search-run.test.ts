import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { searchRun } from './search-run';
import { secretKinds } from './secret-kinds';

const secret = `mk_${randomBytes(32).toString('base64url')}`;
const other = randomBytes(16).toString('hex');
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'search-run-'));
  write('secrets/1', { kind: 'management key', value: secret }, { kind: 'content key', value: other });
});
afterEach(() => rmSync(folder, { recursive: true }));

function write(name: string, ...lines: (object | string)[]): void {
  const file = join(folder, name);
  mkdirSync(join(file, '..'), { recursive: true });
  const texts = lines.map((line) => (typeof line === 'string' ? line : `${JSON.stringify(line)}\n`));
  writeFileSync(file, texts.join(''));
}
/** As Redis writes a command to its append-only file. */
const command = (...parts: string[]) =>
  `*${parts.length}\r\n${parts.map((part) => `$${Buffer.byteLength(part)}\r\n${part}\r\n`).join('')}`;

test('what is not there is not found, and the summary tells how much was searched', () => {
  write('logs/one', { message: 'listening' });
  write('databases/one', 'public.session\t{"id":"a"}\n');
  write('redis/appendonlydir/appendonly.aof.1.incr.aof', command('SET', 'key', 'value'));
  expect(searchRun(folder, false)).toEqual({
    faults: [],
    summary:
      'No secret in the clear: 2 secrets searched in 1 log, the problems of 0 suites, 1 database and 1 Redis dump.',
  });
});

test('a finding tells the kind and the place, once, and never the secret', () => {
  write('logs/playback', { message: 'fine' }, { message: 'refused', fields: { given: secret } });
  write('problems/suite', { status: 400, errors: { name: [`${other} is no name`] } });
  write('databases/suite', `public.session\t{"id":"a","details":{"note":"x"},"hash":"${secret}"}\n`.repeat(2));
  const former = command('HSET', 'published:api-client:a', 'document', JSON.stringify({ accessKey: secret }));
  write('redis/former-a/appendonly.aof.1.incr.aof', command('SET', 'one', '*1\r\n'), former, command('DEL', 'one'));
  const { faults } = searchRun(folder, false);
  expect(faults).toEqual([
    'management key in the clear: log of playback, fields, "refused"',
    'content key in the clear: problem answered in suite, errors',
    'management key in the clear: database of suite, public.session, hash',
    'management key in the clear: Redis, redis/former-a/appendonly.aof.1.incr.aof, HSET, published:api-client:a',
  ]);
});

test('a secret that is part of a name is hidden there, too', () => {
  write('redis/appendonlydir/appendonly.aof.1.incr.aof', command('SET', `session:${secret}`, 'value'));
  write('logs/one', { message: `no such key: ${secret}` });
  const text = searchRun(folder, false).faults.join('\n');
  expect(text).toMatch(/SET, \(a secret\)/);
  expect(text).not.toContain(secret.slice(3));
});

test('a secret across the border of two chunks is found', () => {
  const chunk = 16 * 1024 * 1024;
  write('logs/long', `${'x'.repeat(chunk - 20)}${secret}${'y'.repeat(chunk)}`);
  expect(searchRun(folder, false).faults).toHaveLength(1);
});

test('a whole run without secrets of some kind, or with nothing to search, fails', () => {
  write('logs/one', { message: 'listening' });
  const { faults } = searchRun(folder, true);
  expect(faults).toHaveLength(secretKinds.length - 2 + 3);
  expect(faults).toContain('The run remembered no access key: the search for those cannot fail.');
  expect(faults).toContain('The run kept no databases: they cannot be searched.');
});

test('many millions of bytes are searched in a moment', () => {
  const lines = Array.from({ length: 5_000 }, () => ({ kind: 'access key', value: randomBytes(32).toString('hex') }));
  write('secrets/2', ...lines);
  write(
    'logs/long',
    randomBytes(4 * 1024 * 1024)
      .toString('hex')
      .repeat(5),
  );
  const began = performance.now();
  expect(searchRun(folder, false).faults).toEqual([]);
  expect(performance.now() - began).toBeLessThan(20_000);
});
