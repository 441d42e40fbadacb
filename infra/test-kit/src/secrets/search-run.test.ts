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
/** A command in the format of Redis's append-only file. */
const command = (...parts: string[]) =>
  `*${parts.length}\r\n${parts.map((part) => `$${Buffer.byteLength(part)}\r\n${part}\r\n`).join('')}`;

test('nothing is found if there are no secrets, and the summary shows how much was searched', () => {
  write('logs/one', { message: 'listening' });
  write('databases/one', 'public.session\t{"id":"a"}\n');
  write('redis/appendonlydir/appendonly.aof.1.incr.aof', command('SET', 'key', 'value'));
  expect(searchRun(folder, false)).toEqual({
    findings: [],
    summary:
      'No secret in plain text: 2 secrets searched in 1 log, the problems of 0 suites, 1 database and 1 Redis dump.',
  });
});

test('a finding names kind and place once, and never contains the secret', () => {
  write('logs/playback', { message: 'fine' }, { message: 'refused', fields: { given: secret } });
  write('problems/suite', { status: 400, errors: { name: [`${other} is no name`] } });
  write('databases/suite', `public.session\t{"id":"a","details":{"note":"x"},"hash":"${secret}"}\n`.repeat(2));
  const former = command('HSET', 'published:api-client:a', 'document', JSON.stringify({ accessKey: secret }));
  write('redis/former-a/appendonly.aof.1.incr.aof', command('SET', 'one', '*1\r\n'), former, command('DEL', 'one'));
  const { findings } = searchRun(folder, false);
  expect(findings).toEqual([
    'management key in plain text: log of playback, fields, "refused"',
    'content key in plain text: problem in suite, errors',
    'management key in plain text: database of suite, public.session, hash',
    'management key in plain text: Redis, redis/former-a/appendonly.aof.1.incr.aof, HSET, published:api-client:a',
  ]);
});

test('a secret that is part of a name is hidden there too', () => {
  write('redis/appendonlydir/appendonly.aof.1.incr.aof', command('SET', `session:${secret}`, 'value'));
  write('logs/one', { message: `no such key: ${secret}` });
  const text = searchRun(folder, false).findings.join('\n');
  expect(text).toMatch(/SET, \(a secret\)/);
  expect(text).not.toContain(secret.slice(3));
});

test('a secret across two chunks is found', () => {
  const chunk = 16 * 1024 * 1024;
  write('logs/long', `${'x'.repeat(chunk - 20)}${secret}${'y'.repeat(chunk)}`);
  expect(searchRun(folder, false).findings).toHaveLength(1);
});

test('a complete run without secrets of some kind, or with nothing to search, fails', () => {
  write('logs/one', { message: 'listening' });
  const { findings } = searchRun(folder, true);
  expect(findings).toHaveLength(secretKinds.length - 2 + 3);
  expect(findings).toContain('The run remembered no access key, so the search for them cannot fail.');
  expect(findings).toContain('The run kept no databases, so they cannot be searched.');
});

test('many megabytes are searched quickly', () => {
  const lines = Array.from({ length: 5_000 }, () => ({ kind: 'access key', value: randomBytes(32).toString('hex') }));
  write('secrets/2', ...lines);
  write(
    'logs/long',
    randomBytes(4 * 1024 * 1024)
      .toString('hex')
      .repeat(5),
  );
  const began = performance.now();
  expect(searchRun(folder, false).findings).toEqual([]);
  expect(performance.now() - began).toBeLessThan(20_000);
});
