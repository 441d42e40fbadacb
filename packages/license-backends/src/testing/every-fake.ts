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
  /** Takes one challenge alone, byte for byte; without one that of `challenges`. */
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

/** Each kind of license backend that asks a server, with each DRM system that it serves. Content: `lesson-0042 ü`. */
export const everyFake: FakeBackend[] = kinds.flatMap(([settings, secretNames, serve]) =>
  servedSystems[settings.type].map((drmSystem) => ({
    settings,
    secretNames,
    drmSystem,
    serve: (clock, challenge = challenges[drmSystem]) => serve(drmSystem, clock, challenge),
  })),
);
