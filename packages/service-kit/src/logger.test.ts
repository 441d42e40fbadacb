import { PassThrough } from 'node:stream';
import { createLogger, redact } from './logger';

const managementKey = 'mk_Jx3vQ9-ZkT0aB_8dLqWm5RyN2sUfHcEoPiVgXt7uY4w';
const accessKey = 'ak_0aB_8dLqWm5RyN2sUfHcEoPiVgXt7uY4wJx3vQ9-ZkT';
const operatorKey = 'op_WmRyNsUfHcEoPiVgXtuYwJxvQZkTaBdLq';
const jwt =
  'eyJhbGciOiJFUzI1NiIsInR5cCI6ImRybS1saWNlbnNlK2p3dCJ9.eyJzdWIiOiJ2aWV3ZXItODFjMiJ9.MEUCIQDx-_9aJ1w3bXk0Zq2nYv5r';
const secrets = [managementKey, accessKey, operatorKey, jwt, 'hunter2', 'viewer-81c2'];

/** Returns what a logger writes for one entry, as text and as JSON. */
function written(message: string, fields?: Record<string, unknown>, level: 'error' | 'info' | 'debug' = 'error') {
  const stream = new PassThrough();
  createLogger({ service: 'tests', level: 'info', stream })[level](message, fields);
  const text = String(stream.read() ?? '');
  return { text, entry: text === '' ? undefined : (JSON.parse(text) as Record<string, unknown>) };
}

function expectNoSecret(text: string): void {
  expect(text).not.toBe('');
  for (const secret of secrets) {
    expect(text).not.toContain(secret);
    if (secret.length > 20) expect(text).not.toContain(secret.slice(8, 20));
  }
}

describe('an entry', () => {
  test('is one line of JSON with time, level and service', () => {
    const { text, entry } = written('two\nlines', { count: 2, at: new Date(0) });
    expect(text).toMatch(/^[^\n]*\n$/);
    expect(entry).toEqual({
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      level: 'error',
      service: 'tests',
      message: 'two\nlines',
      count: 2,
      at: '1970-01-01T00:00:00.000Z',
    });
  });

  test('below the level is not written', () => {
    expect(written('detail', {}, 'debug').text).toBe('');
    expect(written('event', {}, 'info').entry).toMatchObject({ level: 'info' });
  });
});

describe('secrets', () => {
  const places: [string, (secret: string) => [string, Record<string, unknown>?]][] = [
    ['a message', (secret) => [`refused ${secret}, sorry`]],
    ['a field', (secret) => ['refused', { given: secret }]],
    ['a nested field', (secret) => ['refused', { given: [{ by: { header: `Bearer ${secret}` } }] }]],
    ['an error', (secret) => ['refused', { error: new Error(`no such key: ${secret}`) }]],
    ['a cause', (secret) => ['refused', { error: new Error('no', { cause: new TypeError(`bad ${secret}.`) }) }]],
    ['an error of errors', (secret) => ['refused', { error: new AggregateError([new Error(secret)], 'all failed') }]],
    ['a message in the fields', (secret) => ['refused', { message: secret, stack: secret, cause: secret }]],
    ['an error code', (secret) => ['refused', { error: Object.assign(new Error('no'), { code: secret }) }]],
    ['a quoted text', (secret) => ['refused', { given: JSON.stringify({ a: secret }) }]],
  ];
  const texts = [
    managementKey,
    accessKey,
    operatorKey,
    jwt,
    `redis://:hunter2@redis:6379/0`,
    `postgres://app:hunter2@db/app`,
  ];

  test.each(places)('in %s are not written', (_place, entryOf) => {
    for (const secret of texts) expectNoSecret(written(...entryOf(secret)).text);
  });

  test('with only the beginning of a JWT are not written', () => {
    expect(redact(jwt.slice(0, 60))).toBe('[redacted]');
    expect(redact(`${jwt}.`)).toBe('[redacted]');
  });

  test.each([
    ...[
      'accessKey',
      'access_key',
      'ACCESS-KEY',
      'managementKey',
      'operatorKeys',
      'privateKey',
      'apiKey',
      'key',
      'secret',
    ],
    ...[
      'clientSecret',
      'X-SERVICE-Client-Secret',
      'token',
      'drmLicenseToken',
      'authorization',
      'Authorization',
      'cookie',
    ],
    ...['Set-Cookie', 'password', 'subject', 'sub', 'body', 'LICENSE_TOKEN_KEYS'],
  ])('in a field named %s are not written, whatever their form', (name) => {
    const { text, entry } = written('entry', { [name]: 'viewer-81c2', nested: { [name]: ['viewer-81c2'] } });
    expectNoSecret(text);
    expect(entry).toMatchObject({ [name]: '[redacted]', nested: { [name]: '[redacted]' } });
  });

  test('do not include harmless values', () => {
    const fields = {
      keyId: 'a1',
      managementKeyId: 'a2',
      url: 'redis://localhost:6379/0',
      file: 'file:///srv/node_modules/.pnpm/@prisma+client/index.js',
      text: 'mk_short, drop_constraint_of_another_name, user@example.com',
      requestId: '5f0d2a51-0f0e-4d0b-9a53-0f9a4c1f2b77',
    };
    expect(redact(fields)).toEqual(fields);
  });
});

describe('errors', () => {
  test('are written with name, code, stack and causes, and nothing else', () => {
    const cause = Object.assign(new TypeError('inner'), { code: 'E_INNER' });
    const error = Object.assign(new Error('outer', { cause }), { code: 'P2002', meta: { subject: 'viewer-81c2' } });
    const { entry } = written('failed', { error });
    expect(entry?.error).toEqual({
      name: 'Error',
      message: 'outer',
      code: 'P2002',
      stack: expect.stringMatching(/^at .*logger\.test/),
      cause: { name: 'TypeError', message: 'inner', code: 'E_INNER', stack: expect.stringMatching(/^at /) },
    });
  });

  test("from another realm, such as Node's own under jest, are recognized as errors", () => {
    const { error } = (() => {
      try {
        return { error: process.chdir('/no/such/folder') };
      } catch (error) {
        return { error };
      }
    })();
    expect(written('failed', { error }).entry?.error).toMatchObject({ code: 'ENOENT', message: expect.any(String) });
  });

  test('that are their own cause do not loop forever', () => {
    const error = new Error('round');
    error.cause = error;
    expect(written('failed', { error }).entry?.error).toMatchObject({ message: 'round', cause: '[circular]' });
  });

  test('with a huge message keep their stack', () => {
    const { entry, text } = written('failed', { error: new Error('invalid invocation '.repeat(10_000)) });
    expect(entry?.error).toMatchObject({ stack: expect.stringMatching(/^at .*logger\.test/) });
    expect(text.length).toBeLessThan(10_000);
  });
});

describe('long strings', () => {
  test('are cut between words and report how much is missing', () => {
    const text = 'abcd '.repeat(2_000);
    expect(redact(text)).toBe(`${'abcd '.repeat(800)}[6000 more characters]`);
    expect(redact('a'.repeat(4_000))).toBe('a'.repeat(4_000));
    expect(redact('a'.repeat(4_001))).toBe('[4001 more characters]');
  });

  test('are cut in messages, too', () => {
    expect(String(written('word '.repeat(2_000)).entry?.message)).toHaveLength(4_000 + '[6000 more characters]'.length);
  });

  test.each([managementKey, jwt, 'redis://default:hunter2@redis:6379'])(
    'reveal nothing of a secret at the cut: %s',
    (secret) => {
      for (let place = 4_000 - secret.length - 2; place <= 4_002; place += 1) {
        const text = `${'x'.repeat(place - 1)} ${secret} ${'y'.repeat(5_000)}`;
        expectNoSecret(String(redact(text)));
      }
    },
  );

  test.each(['a', '://a:', '\n    at '])('that repeat %j are cut before they are searched', (part) => {
    expect(String(redact(part.repeat(1_000_000))).length).toBeLessThan(5_000);
  });
});

describe('odd values', () => {
  test('do not make logging throw', () => {
    const circular: Record<string, unknown> = { name: 'a' };
    circular.self = circular;
    circular.list = [circular];
    const deep = JSON.parse(`${'{"a":'.repeat(2_000)}1${'}'.repeat(2_000)}`) as object;
    const odd = {
      circular,
      deep,
      bytes: Buffer.from('hunter2hunter2'),
      big: 12n,
      nothing: null,
      missing: undefined,
      method: () => 'hunter2',
      symbol: Symbol('hunter2'),
      bare: Object.assign(Object.create(null) as object, { a: 1 }),
      invalidDate: new Date(Number.NaN),
      throwing: Object.defineProperty({}, 'a', {
        enumerable: true,
        get: () => {
          throw new Error('hunter2');
        },
      }),
      [Symbol('own')]: 'hunter2',
    };
    const { text, entry } = written('odd', odd);
    expectNoSecret(text);
    expect(entry).toMatchObject({
      circular: { name: 'a', self: '[circular]', list: ['[circular]'] },
      bytes: '[14 bytes]',
      big: '12',
      nothing: null,
      bare: { a: 1 },
      throwing: '[cannot be read]',
    });
    expect(text).toContain('[too deep]');
  });

  test('that occur twice side by side are written twice', () => {
    const shared = { a: 1 };
    expect(redact({ first: shared, second: shared })).toEqual({ first: { a: 1 }, second: { a: 1 } });
  });

  test('are copied, never changed', () => {
    const fields = { token: 'hunter2', list: ['hunter2'] };
    written('entry', fields);
    expect(fields).toEqual({ token: 'hunter2', list: ['hunter2'] });
  });
});

test("fields named like the logger's own do not replace them", () => {
  const { entry } = written('entry', { level: 'debug', timestamp: 'never' });
  expect(entry).toMatchObject({ level: 'error', message: 'entry' });
  expect(entry?.timestamp).not.toBe('never');
});

test.each([
  ['a member', { value: { toJSON: () => 'hunter2' } }],
  ['an entry', { toJSON: () => 'hunter2' }],
  ['a function', { value: Object.assign(() => undefined, { toJSON: () => 'hunter2' }) }],
  ['a time', { value: Object.assign(new Date(0), { toJSON: () => 'hunter2' }) }],
])('%s that says itself how to be written is not asked', (_what, fields) => {
  const { text, entry } = written('entry', fields);
  expect(text).not.toContain('hunter2');
  expect(entry).toMatchObject({ level: 'error', message: 'entry' });
});

test('integers beyond the range of JSON numbers are written as text', () => {
  expect(written('entry', { count: 2n ** 64n }).entry).toMatchObject({ count: '18446744073709551616' });
});
