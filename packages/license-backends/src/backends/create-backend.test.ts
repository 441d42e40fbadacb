import { drmSystems } from '@multi-drm/contracts';
import { exampleSettings } from '../testing/every-fake';
import { backendDescriptors } from './backend-descriptors';
import { backendSettings, createBackend } from './create-backend';
import { callOf, now } from './testing/calls';
import { requestOf } from './testing/exchange';
import { axinomSettings } from './testing/fake-axinom';
import { doveRunnerSettings } from './testing/fake-doverunner';
import { drmTodaySettings } from './testing/fake-drmtoday';
import { widevineSettings } from './testing/fake-widevine-service';
import { problemOf } from './testing/refusal-cases';

const http = { type: 'http', url: 'https://keys.example/', responseFormat: 'raw' } as const;
const unserved = Object.values(exampleSettings).flatMap((settings) => {
  const { systems } = backendDescriptors[settings.type];
  return drmSystems.filter((system) => !systems.includes(system)).map((drmSystem) => ({ settings, drmSystem }));
});

test.each(Object.values(exampleSettings))('parses the settings of $type and creates its backend', (settings) => {
  const backend = createBackend(backendSettings.parse(settings), () => 'token');
  const [drmSystem = 'widevine'] = backendDescriptors[settings.type].systems;
  expect(requestOf(backend, callOf(drmSystem)).url).toBe(settings.url);
});

test('parses the settings of clearkey and creates its backend', () => {
  const backend = createBackend(backendSettings.parse({ type: 'clearkey' }), () => 'token');
  expect(backend.answerType).toBe('application/json');
});

test.each(unserved)('$settings.type prepares no request for $drmSystem, which it does not serve', async (one) => {
  const backend = createBackend(one.settings, () => 'token');
  expect(await problemOf(() => backend.prepare(callOf(one.drmSystem)))).toMatchObject({
    code: 'license_backend_not_configured',
  });
});

// The server of `http` gets the signed policy and decides itself.
const ending = Object.values(exampleSettings).filter(({ type }) => type !== 'http');

test.each(ending)('$type prepares no request for a license that would end within a second', async (settings) => {
  const backend = createBackend(backendSettings.parse(settings), () => 'token');
  const [drmSystem = 'widevine'] = backendDescriptors[settings.type].systems;
  const late = callOf(drmSystem, { licenseEndsAt: new Date(now.getTime() + 999) });
  expect(await problemOf(() => backend.prepare(late))).toMatchObject({ code: 'session_expired' });
});

test.each([
  { type: 'other' },
  { ...http, url: 'ftp://keys.example/' },
  { ...http, responseFormat: '$' },
  { ...http, headers: { Host: 'other.example' } },
  { ...http, secretHeaders: { 'Content-Length': '1' } },
  { ...http, policyHeader: 'Transfer-Encoding' },
  { ...http, headers: { 'x-a': 'one\r\nx-b: two' } },
  { ...http, headers: { 'x a': 'one' } },
  { ...widevineSettings, signingKey: 'ab' },
  { ...axinomSettings, communicationKey: 'AAAA' },
  { ...drmTodaySettings, sharedSecret: 'abc' },
  { ...doveRunnerSettings, siteKey: 'ü'.repeat(32) },
])('rejects %j', (settings) => {
  expect(backendSettings.safeParse(settings).success).toBe(false);
});

test('creates new tokens: other ids and times result in other tokens', () => {
  const backend = createBackend(drmTodaySettings, () => 'token');
  const [one, other] = ['7b0ad1f0-55a5-4b43-8d3c-4b1a0f5d2c33', '8d3c7b0a-55a5-4b43-8d3c-4b1a0f5d2c33'].map(
    (id) => requestOf(backend, callOf('widevine', { randomUuid: () => id })).headers['x-dt-auth-token'],
  );
  expect(one).not.toBe(other);
});
