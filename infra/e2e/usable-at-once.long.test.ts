import { cloneDatabase, startRedis, type TestDatabase, type TestRedis } from '@multi-drm/test-kit';
import { Customer, release } from '@multi-drm/test-kit/services/customer';
import { ServiceProcess } from '@multi-drm/test-kit/services/service-process';

let database: TestDatabase;
let redis: TestRedis;
let controlPlanes: ServiceProcess[];
let playbacks: ServiceProcess[];
let customer: Customer;

jest.setTimeout(600_000);

beforeAll(async () => {
  [database, redis] = await Promise.all([cloneDatabase(), startRedis()]);
  // Two publishers: either may publish what a caller of the other waits for.
  const controlPlane = () => ServiceProcess.controlPlane(database.url, redis.url);
  const playback = () => ServiceProcess.playback(redis.url);
  controlPlanes = [await controlPlane(), await controlPlane()];
  playbacks = [await playback(), await playback()];
  await Promise.all([...controlPlanes, ...playbacks].map((service) => service.start()));
  customer = await Customer.register(addresses(0));
});
afterAll(async () => {
  await Promise.all([...controlPlanes, ...playbacks].map((service) => service.stop()));
  await Promise.all([database.drop(), redis.stop()]);
});

/** The instances that a round calls: each pair in turn. */
const addresses = (round: number) => ({
  controlPlaneUrl: controlPlanes[round % 2]?.url ?? '',
  playbackUrl: playbacks[Math.floor(round / 2) % 2]?.url ?? '',
});

/** Twelve for each of the four pairs of instances. A viewer has at most a hundred streams. */
const rounds = 48;

test(`${rounds} new API clients, content assets and raised limits are usable with the next request`, async () => {
  const failures: string[] = [];
  const note = (error: Error) => {
    failures.push(error.message);
  };
  for (let round = 0; round < rounds; round += 1) {
    const caller = customer.with({ addresses: addresses(round) });
    const contentId = `lesson-${round}`;
    await caller.publish(contentId);
    await caller.play(contentId, `viewer-of-content-${round}`).then(release).catch(note);
    const apiClient = await caller.createApiClient();
    await caller.with({ apiClient }).play(contentId, `viewer-of-client-${round}`).then(release).catch(note);
    // One viewer uses every stream, and each additional one as soon as the limit is raised.
    const limit = { settings: { maximumConcurrentStreams: round + 1 } };
    await caller.manage('PATCH', `/environments/${caller.siteId}`, limit, { 'If-Match': '*' });
    await caller.play(contentId, 'collector').catch(note);
  }
  expect(failures).toEqual([]);
});
