import { SettingsError } from '@multi-drm/service-kit';
import { hashOf } from './access/keys';
import { readSettings } from './settings';

const required = { DATABASE_URL: 'postgresql://localhost/drm', REDIS_URL: 'redis://localhost' };

test('two addresses are all that must be set', () => {
  expect(readSettings(required)).toEqual({
    ...required,
    PORT: 8080,
    HOST: '0.0.0.0',
    LOG_LEVEL: 'info',
    OPERATOR_KEYS: [],
    REGISTRATION: 'open',
    SERVICE_AGREEMENT_VERSION: '2026-01',
    SHUTDOWN_DELAY_MILLISECONDS: 5_000,
    SHUTDOWN_GRACE_MILLISECONDS: 20_000,
  });
});

test('operator keys are read as names and hashes', () => {
  const hash = hashOf('op_key');
  expect(readSettings({ ...required, OPERATOR_KEYS: `alice:${hash}` }).OPERATOR_KEYS).toEqual([
    { name: 'alice', hash },
  ]);
});

test('every fault is told at once, and no value with it', () => {
  const read = () =>
    readSettings({
      DATABASE_URL: 'mysql://root:hunter2@localhost/drm',
      PORT: '0',
      OPERATOR_KEYS: 'alice:op_plain,bob:op_plain',
      REGISTRATION: 'closed',
      SERVICE_AGREEMENT_URL: 'agreement.html',
    });
  expect(read).toThrow(SettingsError);
  expect(read).toThrow(
    [
      'Settings are not valid:',
      '  PORT: must be at least 1',
      '  DATABASE_URL: must be an absolute URL with postgresql: or postgres:',
      '  REDIS_URL: is required',
      '  OPERATOR_KEYS: entry 1 must be name:hash, the hash being the SHA-256 of the key in 64 hex digits',
      '  OPERATOR_KEYS: entry 2 must be name:hash, the hash being the SHA-256 of the key in 64 hex digits',
      '  REGISTRATION: must be open or paused',
      '  SERVICE_AGREEMENT_URL: must be an absolute URL with https: or http:',
    ].join('\n'),
  );
});
