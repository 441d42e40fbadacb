import { runOutage } from './src/outage';
import { redisOutages } from './src/scenarios/redis-outages';
import { Stage } from './src/stage';

let stage: Stage;

beforeAll(async () => {
  stage = await Stage.start();
});
afterAll(() => stage.close());

// `npm run faults` runs this and the others on built services, at length.
test('Redis is killed and started again under load: every answer is accounted for, no slot is lost or given twice', async () => {
  const outage = redisOutages['redis-killed'];
  if (outage === undefined) throw new Error('there is no such outage');
  const { broken, requests, failed, overAdmitted, lostSlots } = await runOutage(stage, { ...outage, lasts: 500 });
  expect(broken).toEqual([]);
  expect({ overAdmitted, lostSlots }).toEqual({ overAdmitted: 0, lostSlots: 0 });
  // The load is there, and the fault is seen.
  expect(requests).toBeGreaterThan(50);
  expect(failed).toBeGreaterThan(0);
});
