import type { DrmSystem } from '../backends/license-backend';
import { servedSystems } from '../backends/served-systems';
import type { Clock } from '../backends/testing/calls';
import type { FakeServer } from '../backends/testing/exchange';
import { axinomSettings, fakeAxinom } from '../backends/testing/fake-axinom';
import { doveRunnerSettings, fakeDoveRunner } from '../backends/testing/fake-doverunner';
import { drmTodaySettings, fakeDrmToday } from '../backends/testing/fake-drmtoday';
import { fakeHttpServer, httpBackendSettings } from '../backends/testing/fake-http';
import { fakeWidevineService, widevineSettings } from '../backends/testing/fake-widevine-service';
import { challenges } from '../backends/testing/messages';

/** A kind of license backend with its fake: settings, and names of those that are secrets. */
export interface FakeBackend {
  settings: { type: keyof typeof servedSystems; url: string };
  secretNames: readonly string[];
  drmSystem: DrmSystem;
  serve(clock: Clock): FakeServer;
}

const kinds: [FakeBackend['settings'], string[], (drmSystem: DrmSystem, clock: Clock) => FakeServer][] = [
  [widevineSettings, ['signingKey', 'signingIv'], () => fakeWidevineService(challenges.widevine)],
  [axinomSettings, ['communicationKey'], (drmSystem, clock) => fakeAxinom(drmSystem, [], clock)],
  [drmTodaySettings, ['sharedSecret'], (drmSystem, clock) => fakeDrmToday(drmSystem, [], clock)],
  [doveRunnerSettings, ['siteKey', 'accessKey'], (drmSystem, clock) => fakeDoveRunner(drmSystem, [], clock)],
  [httpBackendSettings, ['secretHeaders'], (drmSystem) => fakeHttpServer(drmSystem)],
];

/** Each kind of license backend that asks a server, with each DRM system that it serves. Content: `lesson-0042 ü`. */
export const everyFake: FakeBackend[] = kinds.flatMap(([settings, secretNames, serve]) =>
  servedSystems[settings.type].map((drmSystem) => ({
    settings,
    secretNames,
    drmSystem,
    serve: (clock) => serve(drmSystem, clock),
  })),
);
