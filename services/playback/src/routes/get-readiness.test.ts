import supertest from 'supertest';
import { createPlayback, startPlayback } from '../testing/playback';
import { publishDeployment } from '../testing/published-tenant';

test('a healthy service is live and ready', async () => {
  const playback = await startPlayback();
  await publishDeployment(playback.redis);
  const { body: live } = await supertest(playback.app).get('/api/v1/health/live').expect(200);
  const { body: ready } = await supertest(playback.app).get('/api/v1/health/ready').expect(200);
  expect(live).toMatchObject({ status: 'live', service: 'playback' });
  expect(ready).toMatchObject({ status: 'ready', checks: { redis: { status: 'up' }, published: { status: 'up' } } });
  const requests = playback.logged.filter(({ message }) => message === 'request');
  expect(requests.map(({ level }) => level)).toEqual(['debug', 'debug']);
});

test('without Redis, the process is live but not ready', async () => {
  const playback = createPlayback({ redisUrl: 'redis://127.0.0.1:1' });
  await supertest(playback.app).get('/api/v1/health/live').expect(200);
  const { body } = await supertest(playback.app).get('/api/v1/health/ready').expect(503);
  expect(body).toMatchObject({ status: 'not_ready', checks: { redis: { status: 'down' } } });
});
