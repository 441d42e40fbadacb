import { isDatabaseUnavailable } from './database-unavailable';

// Errors that can be provoked are tested on a real database in prisma-client.test.ts; this covers the rest.

const withCode = (code: string) => Object.assign(new Error('failed'), { code });

/** An error as the Prisma client wraps what its adapter threw. */
const ofAdapter = (cause: object) => ({ code: 'P2010', meta: { driverAdapterError: { cause } } });

test.each(['EAI_AGAIN', 'ECONNRESET', 'EHOSTUNREACH', 'ENETUNREACH', 'ENOTFOUND', 'EPIPE', 'ETIMEDOUT'])(
  'a network error (%s) means that the database is unavailable',
  (code) => expect(isDatabaseUnavailable(withCode(code))).toBe(true),
);

test.each([
  ['connection failure', '08006'],
  ['invalid password', '28P01'],
  ['disk full', '53100'],
  ['cannot connect now', '57P03'],
  ['no such database', '3D000'],
  ['lock not available', '55P03'],
  ['idle in transaction', '25P03'],
  ['a standby that accepts no writes', '25006'],
])('%s (SQLSTATE %s) means that the database is unavailable', (_name, code) => {
  expect(isDatabaseUnavailable(withCode(code))).toBe(true);
  expect(isDatabaseUnavailable(ofAdapter({ kind: 'postgres', originalCode: code }))).toBe(true);
  expect(isDatabaseUnavailable(new Error('wrapped', { cause: withCode(code) }))).toBe(true);
});

test.each([
  ['unique violation', '23505'],
  ['deadlock', '40P01'],
  ['syntax error', '42601'],
])('%s (SQLSTATE %s) does not mean that the database is unavailable', (_name, code) => {
  expect(isDatabaseUnavailable(withCode(code))).toBe(false);
  expect(isDatabaseUnavailable(ofAdapter({ kind: 'postgres', originalCode: code }))).toBe(false);
});

test('a socket timeout below the adapter means that the database is unavailable', () => {
  expect(isDatabaseUnavailable(ofAdapter({ kind: 'SocketTimeout' }))).toBe(true);
});

test('a pool that was closed during use means that the database is unavailable', () => {
  expect(isDatabaseUnavailable(new Error('Client was closed and is not queryable'))).toBe(true);
});

test.each([
  undefined,
  null,
  'Connection terminated',
  { message: 'Connection terminated' },
  new TypeError('Query read timeout'),
])('an error that is not from the database (%p) does not mean that the database is unavailable', (error) =>
  expect(isDatabaseUnavailable(error)).toBe(false),
);
