import { randomUUID } from 'node:crypto';
import { OrganizationStreams } from './organization-streams';
import { StreamRecount } from './stream-recount';
import { Deployment } from './testing/deployment';
import { buckets } from './testing/subject-buckets';
import { another, describeOnEveryRedis, ended, formerRequest, keysOf, newRequest, storeOn } from './testing/test-store';

describeOnEveryRedis((client) => {
  let deployment: Deployment;
  beforeEach(() => {
    deployment = Deployment.on(client);
  });
  afterEach(() => deployment.settled());

  /** An environment in which no session starts. */
  const environmentId = randomUUID();

  describe('once per minute', () => {
    it('one of all processes does a recount', async () => {
      const processes = [deployment.startProcess(), deployment.startProcess()];
      deployment.organization.maximumConcurrentStreams = 5;
      for (const process of processes) await process.isFull({ environmentId });
      deployment.time += 1_000;
      for (const process of processes) await process.isFull({ environmentId });
      await deployment.settled();
      expect(deployment.recounted).toEqual([deployment.organization.organizationId]);
      const left = await client.pttl(`organization-streams-recounted:{${deployment.organization.organizationId}}`);
      expect(left).toBeGreaterThan(0);
      expect(left).toBeLessThanOrEqual(60_000);
      await deployment.passMinute();
      deployment.time += 1_000;
      for (const process of processes) await process.isFull({ environmentId });
      await deployment.settled();
      expect(deployment.recounted).toHaveLength(2);
    });

    it('streams that a dead process did not write are added', async () => {
      const process = deployment.startProcess();
      deployment.organization.maximumConcurrentStreams = 5;
      const request = newRequest();
      await process.isFull(request);
      await deployment.settled();
      // Only the reservation, as if the process died before it wrote the rest.
      await storeOn(client).reserve(request);
      expect(await deployment.streamsNow()).toBe(0);
      await deployment.recountNow();
      expect(await deployment.streamsNow()).toBe(1);
    });

    it('streams that a dead process did not remove are removed', async () => {
      const { start } = deployment.startProcess();
      deployment.organization.maximumConcurrentStreams = 5;
      const request = newRequest();
      await start(request);
      const kept = another(request);
      await start(kept);
      await storeOn(client).release(ended(request));
      expect(await deployment.streamsNow()).toBe(2);
      await deployment.recountNow();
      expect(await deployment.streamsNow()).toBe(1);
    });

    it('streams that a dead process did not remove cause no refusal', async () => {
      const { start } = deployment.startProcess();
      const request = newRequest();
      await start(request);
      await storeOn(client).release(ended(request));
      await deployment.passMinute();
      expect(await deployment.startProcess().isFull(request)).toBe(false);
    });

    it('a refusal does not wait for a long recount, such as that of hundreds of environments', async () => {
      const request = newRequest();
      await deployment.startProcess().start(request);
      deployment.recountGate = new Promise(() => undefined);
      expect(await deployment.startProcess().isFull(request)).toBe(true);
      expect(deployment.recounted).toHaveLength(1);
    });

    it('streams that started before the organization had a limit are counted', async () => {
      deployment.organization.maximumConcurrentStreams = null;
      const request = newRequest();
      await deployment.startProcess().start(request);
      deployment.organization.maximumConcurrentStreams = 1;
      expect(await deployment.startProcess().isFull(request)).toBe(false);
      await deployment.settled();
      expect(await deployment.startProcess().isFull(request)).toBe(true);
    });

    it('streams of archived environments are removed, and counted again when these are restored', async () => {
      const process = deployment.startProcess();
      deployment.organization.maximumConcurrentStreams = 5;
      const [first, second] = [newRequest(), newRequest()];
      for (const request of [first, second]) {
        await process.isFull(request);
        await process.start(request);
      }
      deployment.archived.add(first.environmentId);
      await deployment.recountNow();
      expect(await deployment.streamsNow()).toBe(1);
      deployment.archived.clear();
      await deployment.startProcess().isFull(first);
      await deployment.recountNow();
      expect(await deployment.streamsNow()).toBe(2);
    });

    it('the stream of a session under a former hash key is removed', async () => {
      const process = deployment.startProcess();
      deployment.organization.maximumConcurrentStreams = 5;
      const former = formerRequest();
      const present = newRequest({ environmentId: former.environmentId });
      for (const request of [former, present]) {
        await process.isFull(request);
        await process.start(request);
      }
      expect(await deployment.streamsNow()).toBe(2);
      await deployment.recountNow();
      expect(await deployment.streamsNow()).toBe(1);
      await deployment.recountNow();
      expect(await deployment.streamsNow()).toBe(1);
    });

    it('the stream of a lost session that comes back in the meantime stays counted', async () => {
      const process = deployment.startProcess();
      deployment.organization.maximumConcurrentStreams = 5;
      const request = newRequest();
      await process.isFull(request);
      await process.start(request);
      await client.del(keysOf(request).slots, keysOf(request).active);
      const { clock } = deployment;
      const streams = new OrganizationStreams(client, clock);
      const remove = streams.remove.bind(streams);
      jest.spyOn(streams, 'remove').mockImplementationOnce(async (...call) => {
        const [startedAt, expiresAt] = [clock.now(), new Date(clock.now().getTime() + 3_600_000)];
        expect(await process.slots.restore({ ...request, startedAt, expiresAt })).toBe('reserved');
        await deployment.settled();
        await remove(...call);
      });
      const recount = new StreamRecount({
        client,
        clock,
        streams,
        buckets: () => buckets,
        isPublished: async () => true,
      });
      await recount.run(deployment.organization.organizationId);
      expect(await deployment.streamsNow()).toBe(1);
    });
  });
});
