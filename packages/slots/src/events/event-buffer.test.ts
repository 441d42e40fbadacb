import { randomInt } from 'node:crypto';
import { buckets } from '../testing/subject-buckets';
import { describeOnEveryRedis, expectOutcome, newRequest, storeOn } from '../testing/test-store';
import { EventBuffer } from './event-buffer';
import { slotEventsKey } from './event-keys';

describeOnEveryRedis((client) => {
  it('the lists of several buckets are measured together, wherever they are', async () => {
    const requests = Array.from({ length: 5 }, () => newRequest());
    for (const request of requests) expectOutcome(await storeOn(client).reserve(request), 'reserved');
    const used = new Set(requests.map(({ environmentId, subject }) => buckets.bucketOf(environmentId, subject)));
    const lists = [...used].map(slotEventsKey);
    const bytes = async () => {
      const sizes = await Promise.all(lists.map((list) => client.memory('USAGE', list)));
      return sizes.reduce<number>((sum, size) => sum + (size ?? 0), 0);
    };
    const group = randomInt(1_000, 1_000_000);
    const before = await bytes();
    expect(before).toBeGreaterThan(1_000);
    await new EventBuffer(client, 2 ** 30).measure(group, [...used]);
    const measured = Number(await client.hget('slot-events-bytes', String(group)));
    // Other suites may append to the same lists meanwhile.
    expect(measured).toBeGreaterThanOrEqual(before);
    expect(measured).toBeLessThanOrEqual(await bytes());
    await client.hdel('slot-events-bytes', String(group));
  });

  it('switched off, no list may take anything, and nothing is measured', async () => {
    const buffer = new EventBuffer(client, 0);
    const group = randomInt(1_000, 1_000_000);
    const request = newRequest();
    expectOutcome(await storeOn(client).reserve(request), 'reserved');
    await buffer.measure(group, [buckets.bucketOf(request.environmentId, request.subject)]);
    await buffer.refresh();
    expect([buffer.bytesOfBucket(), buffer.bytesOfRequestList]).toEqual([0, 0]);
    expect(await client.hget('slot-events-bytes', String(group))).toBe('0');
  });
});
