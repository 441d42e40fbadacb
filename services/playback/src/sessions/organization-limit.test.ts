import { randomUUID } from 'node:crypto';
import { publishedKeys } from '@multi-drm/contracts';
import { type Playback, sessionRequest, startPlaybackOnOwnRedis } from '../testing/playback';
import { makeTenant, type PublishedTenant, publish } from '../testing/published-tenant';

/** A Redis of its own: completeness marks published by other suites would cause additional reads. */
let playback: Playback;
let tenant: PublishedTenant;

beforeAll(async () => {
  playback = await startPlaybackOnOwnRedis();
});
beforeEach(() => planOf(1));

async function planOf(maximumConcurrentStreams: number | null, settings = {}): Promise<void> {
  tenant = makeTenant(settings);
  tenant.organization.maximumConcurrentStreams = maximumConcurrentStreams;
  await playback.publish(tenant);
}

const create = (overrides: object = {}) => playback.create(tenant, sessionRequest(overrides));

test("a session beyond the organization's plan gets 429 organization_stream_limit_reached and takes no slot", async () => {
  await create().expect(200);
  const { body } = await create({ subject: 'second' }).expect(429);
  expect(body).toMatchObject({ code: 'organization_stream_limit_reached', retryable: false });
  const { body: list } = await playback.asClient(tenant, 'get', '/sessions?subject=second').expect(200);
  expect(list.items).toEqual([]);
});

test('the plan counts the sessions of all environments of the organization', async () => {
  const other = makeTenant();
  const { organizationId } = tenant.organization;
  const sibling = {
    ...other,
    organization: tenant.organization,
    environment: { ...other.environment, organizationId },
  };
  await playback.publish(sibling);
  await create().expect(200);
  const { body } = await playback.create(sibling, sessionRequest()).expect(429);
  expect(body.code).toBe('organization_stream_limit_reached');
});

test('a repeated create is exempt from the plan', async () => {
  const request = { subject: 'viewer', sessionId: randomUUID() };
  const { body: first } = await create(request).expect(200);
  const { body: again } = await create(request).expect(200);
  expect(again.expiresAt).toBe(first.expiresAt);
});

test('a session that replaces another is exempt from the plan', async () => {
  const { body: session } = await create({ subject: 'viewer' }).expect(200);
  await create({ subject: 'viewer', replacesSessionId: session.sessionId }).expect(200);
  await create({ subject: 'viewer', replacesSessionId: randomUUID() }).expect(429);
});

test('a session that replaces another does not take a stream of the plan', async () => {
  await planOf(2);
  const { body: session } = await create({ subject: 'viewer' }).expect(200);
  await create({ subject: 'viewer', replacesSessionId: session.sessionId }).expect(200);
  await create().expect(200);
});

test('a session that evicts another is exempt from the plan', async () => {
  const licensePolicy = { maximumConcurrentStreams: 1, atStreamLimit: 'evict-oldest' };
  await create({ subject: 'viewer', licensePolicy }).expect(200);
  await create({ subject: 'viewer', licensePolicy }).expect(200);
});

test('a released session gives its stream back to the plan, even if the release knows only its environment', async () => {
  const { body: session } = await create().expect(200);
  await create().expect(429);
  await playback.asPlayer(session, 'release').expect(204);
  // The count that caused the refusal is cached for a second.
  while ((await create()).status !== 200);
});

test('sessions of an archived environment do not count after a recount', async () => {
  const archived = makeTenant();
  const { organizationId } = tenant.organization;
  archived.organization = tenant.organization;
  archived.environment.organizationId = organizationId;
  await playback.publish(archived);
  await playback.create(archived, sessionRequest()).expect(200);
  await create().expect(429);
  await publish(playback.redis, publishedKeys.environment(archived.environment.environmentId), null);
  // As if a minute had passed.
  await playback.redis.del(`organization-streams-recounted:{${organizationId}}`);
  while ((await create()).status !== 200);
});

test('a create makes one round trip to Redis if everything is cached, with and without a plan', async () => {
  for (const limit of [null, 1_000]) {
    await planOf(limit, { maximumConcurrentStreams: null });
    // No recount is due.
    await playback.redis.set(
      `organization-streams-recounted:{${tenant.organization.organizationId}}`,
      '1',
      'PX',
      60_000,
    );
    await create().expect(200);
    const commands = jest.spyOn(playback.redis, 'sendCommand');
    await create().expect(200);
    // The generation check is sent together with the reservation. The plan's streams are written afterwards, and the create does
    // not wait for that.
    const behind = limit === null ? [] : ['zadd', 'expire'];
    // The connection also sends its own pings.
    const sent = commands.mock.calls.map(([{ name }]) => name).filter((name) => name !== 'ping');
    expect(sent).toEqual(['evalsha', 'hmget', ...behind]);
    commands.mockRestore();
  }
});
