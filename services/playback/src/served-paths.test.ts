import supertest from 'supertest';
import { type Playback, startPlayback } from './testing/playback';

let playback: Playback;

beforeAll(async () => {
  playback = await startPlayback();
});

test.each(['/openapi.json', '/docs/'])('%s is served outside the prefix', async (path) => {
  await supertest(playback.app).get(path).expect(200);
});

test.each(['/metrics', '/api/v1/metrics'])('%s is not served: metrics have their own port', async (path) => {
  const { body } = await supertest(playback.app).get(path).expect(404);
  expect(body.code).toBe('route_not_found');
});
