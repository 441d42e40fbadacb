import { Stage } from '@multi-drm/test-kit/stage/stage';
import { runOutage } from './src/outage';
import { redisOutages } from './src/scenarios/redis-outages';

let stage: Stage;

beforeAll(async () => {
  stage = await Stage.start();
});
afterAll(() => stage.close());

// `npm run faults` runs this scenario and the others for longer, on built services.
test('if Redis is killed and restarted under load, every response is accounted for and no slot is lost or reserved twice', async () => {
  const outage = redisOutages['redis-killed'];
  if (outage === undefined) throw new Error('the outage does not exist');
  const { broken, requests, failed, overAdmitted, lostSlots } = await runOutage(stage, { ...outage, lasts: 500 });
  expect(broken).toEqual([]);
  expect({ overAdmitted, lostSlots }).toEqual({ overAdmitted: 0, lostSlots: 0 });
  // There was load, and the fault was noticed.
  expect(requests).toBeGreaterThan(50);
  expect(failed).toBeGreaterThan(0);
});
