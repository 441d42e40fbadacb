import { misspelledSettings } from '../../packages/service-kit/src/misspelled-settings';
import { settingNames as controlPlaneSettings } from '../../services/control-plane/src/settings';
import { settingNames as playbackSettings } from '../../services/playback/src/settings';

/** Of the commands, of `npm start` and of Compose, which are often in the same environment. */
const others = [
  'DATABASE_DIRECT_URL',
  'CONTROL_PLANE_PORT',
  'PLAYBACK_PORT',
  'DEMO_PORT',
  'LOCAL_DATA_DIR',
  'POSTGRES_PASSWORD',
  'NODE_OPTIONS',
  'NODE_EXTRA_CA_CERTS',
];

test.each([
  ['the control plane', controlPlaneSettings],
  ['playback', playbackSettings],
])('%s takes no setting of another program for a misspelled one of its own', (_service, own) => {
  const names = [...controlPlaneSettings, ...playbackSettings, ...others];
  expect(misspelledSettings(Object.fromEntries(names.map((name) => [name, 'value'])), own)).toEqual([]);
});
