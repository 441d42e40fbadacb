import type { BackendType, SettingsByType } from '../backends/backend-descriptor';
import { backendDescriptors } from '../backends/backend-descriptors';
import type { DrmSystem } from '../backends/license-backend';
import type { Clock } from '../backends/testing/calls';
import type { FakeServer } from '../backends/testing/exchange';
import { axinomSettings, fakeAxinom } from '../backends/testing/fake-axinom';
import { doveRunnerSettings, fakeDoveRunner } from '../backends/testing/fake-doverunner';
import { drmTodaySettings, fakeDrmToday } from '../backends/testing/fake-drmtoday';
import { fakeHttpServer, httpBackendSettings } from '../backends/testing/fake-http';
import { fakeWidevineService, widevineSettings } from '../backends/testing/fake-widevine-service';
import { challenges } from '../backends/testing/sample-messages';

/** The types of license backends that call a server. */
type ServerType = Exclude<BackendType, 'clearkey'>;

/** Settings of each type, with every optional one. */
export const exampleSettings: { [Type in ServerType]: SettingsByType[Type] } = {
  'widevine-proxy': { ...widevineSettings, policyName: 'default' },
  axinom: axinomSettings,
  drmtoday: drmTodaySettings,
  doverunner: doveRunnerSettings,
  http: httpBackendSettings,
};

/** Each fake accepts the example settings of its type. */
const fakes: Record<ServerType, (drmSystem: DrmSystem, clock: Clock, challenge: Buffer) => FakeServer> = {
  'widevine-proxy': (_drmSystem, _clock, challenge) => fakeWidevineService(challenge),
  axinom: (drmSystem, ...more) => fakeAxinom(drmSystem, [], ...more),
  drmtoday: (drmSystem, ...more) => fakeDrmToday(drmSystem, [], ...more),
  doverunner: (drmSystem, ...more) => fakeDoveRunner(drmSystem, [], ...more),
  http: (drmSystem, _clock, challenge) => fakeHttpServer(drmSystem, [], challenge),
};

/** A type of license backend and a DRM system with its fake server. */
export interface FakeBackend {
  settings: SettingsByType[ServerType];
  drmSystem: DrmSystem;
  /** Creates a fake that accepts only this challenge, byte for byte. Default: that of `challenges`. */
  serve(clock: Clock, challenge?: Buffer): FakeServer;
}

/** Every type of license backend that calls a server, with each DRM system it serves. Content: `lesson-0042 ü`. */
export const everyFake: FakeBackend[] = Object.values(exampleSettings).flatMap((settings) =>
  backendDescriptors[settings.type].systems.map((drmSystem) => ({
    settings,
    drmSystem,
    serve: (clock, challenge = challenges[drmSystem]) => fakes[settings.type](drmSystem, clock, challenge),
  })),
);
