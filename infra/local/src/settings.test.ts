import { isAbsolute } from 'node:path';
import { readSettings } from './settings';

test('by default, the ports are 8080 to 8082, the data is in .local and the servers are embedded', () => {
  const settings = readSettings({});
  expect(settings).toMatchObject({
    controlPlanePort: 8080,
    playbackPort: 8081,
    demoPort: 8082,
    databaseUrl: undefined,
    redisUrl: undefined,
  });
  expect(isAbsolute(settings.dataFolder) && settings.dataFolder.endsWith('/.local')).toBe(true);
});

test('an empty variable counts as absent', () => {
  const variables = {
    CONTROL_PLANE_PORT: '',
    PLAYBACK_PORT: '',
    DEMO_PORT: '',
    LOCAL_DATA_DIR: '',
    DATABASE_URL: '',
    DATABASE_DIRECT_URL: '',
    REDIS_URL: '',
    METRICS_PORT: '',
  };
  expect(readSettings(variables)).toEqual(readSettings({}));
});

test.each(['0', '65536', '80a', '-1', '1e3', ' '])('the port %j is rejected with its variable', (text) => {
  expect(() => readSettings({ PLAYBACK_PORT: text })).toThrow(/^PLAYBACK_PORT is ".*"\. It must be a port/);
});

test('the same port for two servers is rejected', () => {
  expect(() => readSettings({ CONTROL_PLANE_PORT: '8081' })).toThrow(
    'CONTROL_PLANE_PORT and PLAYBACK_PORT are both 8081',
  );
  expect(() => readSettings({ DEMO_PORT: '8080' })).toThrow('CONTROL_PLANE_PORT and DEMO_PORT are both 8080');
});

test('METRICS_PORT is the first of two ports, and both must differ from the others', () => {
  expect(readSettings({ METRICS_PORT: '9464' })).toMatchObject({ metricsPort: 9464 });
  expect(() => readSettings({ METRICS_PORT: '8080' })).toThrow('CONTROL_PLANE_PORT and METRICS_PORT are both 8080');
  expect(() => readSettings({ METRICS_PORT: '8079' })).toThrow(
    'CONTROL_PLANE_PORT and METRICS_PORT plus 1 are both 8080',
  );
  expect(() => readSettings({ METRICS_PORT: '65535' })).toThrow(
    /^METRICS_PORT is "65535"\. It must be a port from 1 to 65534/,
  );
});
