import { z } from 'zod';
import { parseSettings, SettingsError, serviceSettings, setting } from './settings';

const schema = serviceSettings.extend({
  PORT: setting.port.default(8080),
  WORKERS: setting.integer(1, 16),
  DATABASE_URL: setting.url(['postgresql:', 'postgres:']),
  NAME: z.string({ error: 'is required' }).max(5, 'must have at most 5 characters'),
});
const valid = { WORKERS: '2', DATABASE_URL: 'postgres://app:hunter2@db/app', NAME: 'a' };

function errorsOf(environment: Record<string, string | undefined>): string[] {
  try {
    parseSettings(schema, { ...valid, ...environment });
    return [];
  } catch (error) {
    if (error instanceof SettingsError) return error.issues;
    throw error;
  }
}

test('absent and empty variables get their defaults, and unknown ones are ignored', () => {
  expect(parseSettings(schema, { ...valid, PORT: '', LOG_LEVEL: undefined, PATH: '/bin' })).toEqual({
    LOG_LEVEL: 'info',
    KEEP_ALIVE_SECONDS: 65,
    SHUTDOWN_DELAY_MILLISECONDS: 5_000,
    SHUTDOWN_GRACE_MILLISECONDS: 20_000,
    PORT: 8080,
    WORKERS: 2,
    DATABASE_URL: 'postgres://app:hunter2@db/app',
    NAME: 'a',
  });
});

test('all errors are reported together, each by the name of its variable', () => {
  const parse = () =>
    parseSettings(schema, {
      PORT: '0',
      WORKERS: 'two',
      DATABASE_URL: 'mysql://db',
      LOG_LEVEL: 'loud',
      SHUTDOWN_DELAY_MILLISECONDS: '-1',
    });
  expect(parse).toThrow(SettingsError);
  expect(parse).toThrow(
    [
      'Invalid settings:',
      '  LOG_LEVEL: must be error, warn, info or debug',
      '  SHUTDOWN_DELAY_MILLISECONDS: must be a whole number',
      '  PORT: must be at least 1',
      '  WORKERS: must be a whole number',
      '  DATABASE_URL: must be an absolute URL with postgresql: or postgres:',
      '  NAME: is required',
    ].join('\n'),
  );
});

test('values are never shown', () => {
  const secret = 'hunter2-hunter2';
  const environment = Object.fromEntries(Object.keys(schema.shape).map((name) => [name, secret]));
  const { HOST, ...others } = environment;
  const errors = errorsOf(others);
  expect(errors).toHaveLength(Object.keys(others).length);
  expect(errors.join()).not.toContain('hunter2');
});

test.each([
  ['1', []],
  ['65535', []],
  ['65536', ['PORT: must be at most 65535']],
  ['0', ['PORT: must be at least 1']],
  ...['-1', '1.5', '1e3', '0x10', ' 80', '80 ', '٣', '99999999999'].map((text): [string, string[]] => [
    text,
    ['PORT: must be a whole number'],
  ]),
])('the port %p has the errors %p', (text, errors) => {
  expect(errorsOf({ PORT: text })).toEqual(errors);
});

test.each(['postgres', 'postgres:', '/var/run', 'http://db', 'postgres//db'])('the URL %s is invalid', (url) => {
  expect(errorsOf({ DATABASE_URL: url })).toEqual([
    'DATABASE_URL: must be an absolute URL with postgresql: or postgres:',
  ]);
});

test.each<[string, boolean]>([
  ['loopback, 10.0.0.0/8,2001:db8::/32,192.0.2.1', true],
  ['proxy.example.com', false],
  ['10.0.0.0/33', false],
  ['loopback,', false],
])('the trusted proxies %p are accepted: %p', (text, accepted) => {
  const parse = () => parseSettings(z.object({ TRUSTED_PROXIES: setting.trustedProxies }), { TRUSTED_PROXIES: text });
  if (accepted) expect(parse().TRUSTED_PROXIES).toHaveLength(4);
  else expect(parse).toThrow('TRUSTED_PROXIES: must be addresses, networks such as 10.0.0.0/8, or `loopback`');
});

test('a rule for several variables is reported without a name', () => {
  const pair = z.object({ A: z.string(), B: z.string() }).refine(({ A, B }) => A !== B, 'A and B must differ');
  expect(() => parseSettings(pair, { A: '1', B: '1' })).toThrow('Invalid settings:\n  A and B must differ');
});
