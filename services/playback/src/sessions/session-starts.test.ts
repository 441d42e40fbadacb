import { randomUUID } from 'node:crypto';
import { publishedKeys } from '@multi-drm/contracts';
import { slotKeys } from '@multi-drm/slots';
import { buckets } from '@multi-drm/slots/testing';
import { type Playback, sessionRequest, startPlayback } from '../testing/playback';
import { makeTenant, type PublishedTenant } from '../testing/published-tenant';

// The sessions that an organization starts in a minute.

let playback: Playback;
let tenant: PublishedTenant;
/** Of Redis, except in the slots; does not move, so that no minute ends in between. */
const now = () => new Date('2026-11-29T12:00:30Z');

beforeEach(async () => {
  playback = await startPlayback({ environment: { UNLIMITED_PLAN_STARTS_PER_MINUTE: '2' }, now });
  tenant = makeTenant();
  await playback.publish(tenant);
});

const create = (changes: object = {}) => playback.create(tenant, sessionRequest(changes));

test('beyond the limit a create is 429, retryable, until the minute ends', async () => {
  await create().expect(200);
  await create().expect(200);
  const { body, headers } = await create().expect(429);
  expect(body).toMatchObject({ code: 'rate_limited', retryable: true });
  expect(headers['retry-after']).toBe('30');
});

test('repeats, renewals, releases and refused creates do not count, and succeed beyond the limit', async () => {
  const request = sessionRequest({ sessionId: randomUUID() });
  const { body: session } = await playback.create(tenant, request).expect(200);
  for (let call = 0; call < 3; call += 1) {
    await playback.create(tenant, request).expect(200);
    await playback.asPlayer(session, 'renew').expect(200);
    await playback.create(tenant, sessionRequest({ contentId: 'unknown' })).expect(404);
  }
  await create().expect(200);
  await create().expect(429);
  await playback.create(tenant, request).expect(200);
  await playback.asPlayer(session, 'renew').expect(200);
  await playback.asPlayer(session, 'release').expect(204);
});

test('sessions that replace or evict others count', async () => {
  const subject = `viewer-${randomUUID()}`;
  const { body: first } = await create({ subject }).expect(200);
  await create({ subject, replacesSessionId: first.sessionId }).expect(200);
  const { body } = await playback.asClient(tenant, 'get', `/sessions?subject=${subject}`).expect(200);
  const [{ sessionId }] = body.items;
  await create({ subject, replacesSessionId: sessionId }).expect(429);
  const { body: after } = await playback.asClient(tenant, 'get', `/sessions?subject=${subject}`).expect(200);
  expect(after.items).toMatchObject([{ sessionId }]);
});

test('a lost session that is reserved again does not count', async () => {
  const subject = `viewer-${randomUUID()}`;
  const { body: session } = await create({ subject }).expect(200);
  await playback.redis.del(slotKeys(buckets, tenant.environment.environmentId, subject).slots);
  await playback.asPlayer(session, 'renew').expect(200);
  await create().expect(200);
  await create().expect(429);
});

test('a plan that was raised counts with the next create, even if the change message has not arrived', async () => {
  const { organization } = tenant;
  await create().expect(200);
  await create().expect(200);
  await create().expect(429);
  const document = JSON.stringify({ ...organization, maximumConcurrentStreams: 100 });
  await playback.redis.hset(publishedKeys.organization(organization.organizationId), { revision: 1_000_000, document });
  await create().expect(200);
});
