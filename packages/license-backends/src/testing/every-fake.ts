import type { DrmSystem } from '../backends/license-backend';
import { servedSystems } from '../backends/served-systems';
import type { Clock } from '../backends/testing/calls';
import type { FakeServer } from '../backends/testing/exchange';
import { axinomSettings, fakeAxinom } from '../backends/testing/fake-axinom';
import { doveRunnerSettings, fakeDoveRunner } from '../backends/testing/fake-doverunner';
import { drmTodaySettings, fakeDrmToday } from '../backends/testing/fake-drmtoday';
import { fakeHttpServer, httpBackendSettings } from '../backends/testing/fake-http';
import { fakeWidevineService, widevineSettings } from '../backends/testing/fake-widevine-service';
import { challenges } from '../backends/testing/sample-messages';

/** A kind of license backend and DRM system with its fake server. `secretNames` lists the settings that are secret. */
export interface FakeBackend {
  settings: { type: keyof typeof servedSystems; url: string };
  secretNames: readonly string[];
  drmSystem: DrmSystem;
  /** Creates a fake that accepts only this challenge, byte for byte. Default: that of `challenges`. */
  serve(clock: Clock, challenge?: Buffer): FakeServer;
}

type Serve = (drmSystem: DrmSystem, clock: Clock, challenge: Buffer) => FakeServer;

const kinds: [FakeBackend['settings'], string[], Serve][] = [
  [widevineSettings, ['signingKey', 'signingIv'], (_drmSystem, _clock, challenge) => fakeWidevineService(challenge)],
  [axinomSettings, ['communicationKey'], (drmSystem, ...more) => fakeAxinom(drmSystem, [], ...more)],
  [drmTodaySettings, ['sharedSecret'], (drmSystem, ...more) => fakeDrmToday(drmSystem, [], ...more)],
  [doveRunnerSettings, ['siteKey', 'accessKey'], (drmSystem, ...more) => fakeDoveRunner(drmSystem, [], ...more)],
  [httpBackendSettings, ['secretHeaders'], (drmSystem, _clock, challenge) => fakeHttpServer(drmSystem, [], challenge)],
];

/** Every kind of license backend that calls a server, with each DRM system it serves. Content: `lesson-0042 ü`. */
export const everyFake: FakeBackend[] = kinds.flatMap(([settings, secretNames, serve]) =>
  servedSystems[settings.type].map((drmSystem) => ({
    settings,
    secretNames,
    drmSystem,
    serve: (clock, challenge = challenges[drmSystem]) => serve(drmSystem, clock, challenge),
  })),
);
