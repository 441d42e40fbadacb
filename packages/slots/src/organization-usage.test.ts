import { randomUUID } from 'node:crypto';
import { Deployment } from './testing/deployment';
import { another, describeOnEveryRedis, ended, newRequest } from './testing/test-store';

describeOnEveryRedis((client) => {
  let deployment: Deployment;
  beforeEach(() => {
    deployment = Deployment.on(client);
  });
  afterEach(() => deployment.settled());

  /** An environment in which no session starts. */
  const environmentId = randomUUID();

  describe('the streams of an organization', () => {
    it('are counted across all its environments', async () => {
      const process = deployment.startProcess();
      deployment.organization.maximumConcurrentStreams = 3;
      const first = newRequest();
      for (const request of [first, another(first), newRequest()]) {
        expect(await process.isFull(request)).toBe(false);
        await process.start(request);
        deployment.time += 1_000;
      }
      expect(await deployment.startProcess().isFull(first)).toBe(true);
      deployment.organization.maximumConcurrentStreams = 4;
      expect(await deployment.startProcess().isFull(first)).toBe(false);
    });

    it('take the same few commands for any number of environments, after the recount of the minute', async () => {
      const process = deployment.startProcess();
      deployment.organization.maximumConcurrentStreams = 100;
      const requests = Array.from({ length: 20 }, () => newRequest());
      for (const request of requests) {
        await process.isFull(request);
        await process.start(request);
      }
      deployment.time += 1_000;
      const sent = jest.spyOn(client, 'sendCommand');
      for (const request of requests) expect(await process.isFull(request)).toBe(false);
      await deployment.followed(client.ping());
      const names = sent.mock.calls.map(([{ name }]) => name).filter((name) => name !== 'ping');
      sent.mockRestore();
      expect(names.sort()).toEqual(['set', 'zcount']);
    });

    it('of another organization are not counted', async () => {
      const request = newRequest();
      await deployment.startProcess().start(request);
      expect(await deployment.startProcess().isFull(request)).toBe(true);
      deployment.organization = { ...deployment.organization, organizationId: randomUUID() };
      expect(await deployment.startProcess().isFull(newRequest())).toBe(false);
    });

    it('are read again when the count is a second old, not before', async () => {
      const process = deployment.startProcess();
      const request = newRequest();
      await deployment.startProcess().start(request);
      expect(await process.isFull(request)).toBe(true);
      await process.slots.release(ended(request));
      await deployment.settled();
      deployment.counted = [];
      deployment.time += 999;
      expect(await process.isFull(request)).toBe(true);
      expect(deployment.counted).toHaveLength(0);
      deployment.time += 1;
      expect(await process.isFull(request)).toBe(false);
      expect(deployment.counted).toHaveLength(1);
    });

    it('are read once for all concurrent calls', async () => {
      const process = deployment.startProcess();
      await Promise.all(Array.from({ length: 20 }, () => process.isFull({ environmentId })));
      expect(deployment.counted).toEqual([deployment.organization.organizationId]);
    });

    it('are read in the background while the last count was below the limit', async () => {
      const process = deployment.startProcess();
      const request = newRequest();
      expect(await process.isFull(request)).toBe(false);
      await deployment.startProcess().start(request);
      deployment.time += 1_000;
      let open: () => void = () => undefined;
      deployment.gate = new Promise((resolve) => {
        open = resolve;
      });
      expect(await process.isFull(request)).toBe(false);
      open();
      await deployment.settled();
      expect(await process.isFull(request)).toBe(true);
    });

    it('that this process started after the count are added to it', async () => {
      const process = deployment.startProcess();
      deployment.organization.maximumConcurrentStreams = 2;
      const request = newRequest();
      for (const full of [false, false, true]) {
        expect(await process.isFull(request)).toBe(full);
        if (!full) await process.start(another(request));
      }
    });

    it('that have ended cause no refusal: streams are counted again before a refusal', async () => {
      const process = deployment.startProcess();
      deployment.organization.maximumConcurrentStreams = 2;
      const request = newRequest();
      for (let round = 0; round < 5; round += 1) {
        expect(await process.isFull(request)).toBe(false);
        const session = another(request);
        await process.start(session);
        await process.slots.release(ended(session));
      }
    });

    it('that started during a count stay added to it', async () => {
      const process = deployment.startProcess();
      deployment.organization.maximumConcurrentStreams = 2;
      await process.isFull({ environmentId });
      deployment.time += 1_000;
      let open: () => void = () => undefined;
      deployment.gate = new Promise((resolve) => {
        open = resolve;
      });
      expect(await process.isFull({ environmentId })).toBe(false);
      process.usage.countOne(deployment.organization);
      process.usage.countOne(deployment.organization);
      open();
      await deployment.settled();
      const before = deployment.counted.length;
      await process.isFull({ environmentId });
      expect(deployment.counted.length).toBe(before + 1);
    });

    it('may exceed the limit by what other processes start within a second', async () => {
      const processes = [deployment.startProcess(), deployment.startProcess()];
      const request = newRequest();
      for (const process of processes) expect(await process.isFull(request)).toBe(false);
      for (const process of processes) {
        expect(await process.isFull(request)).toBe(false);
        await process.start(another(request));
      }
      expect(await deployment.streamsNow()).toBe(2);
      deployment.time += 1_000;
      for (const process of processes) expect(await process.isFull(request)).toBe(true);
    });
  });

  describe('without a limit', () => {
    it('nothing is read from Redis', async () => {
      deployment.organization.maximumConcurrentStreams = null;
      const { usage, start } = deployment.startProcess();
      const request = newRequest();
      expect(await usage.isFull(deployment.organization, request.environmentId)).toBe(false);
      await start(request);
      expect(deployment.counted).toEqual([]);
      const tag = `{${deployment.organization.organizationId}}`;
      for (const name of ['streams', 'environments', 'streams-recounted']) {
        expect(await client.exists(`organization-${name}:${tag}`)).toBe(0);
      }
    });
  });

  describe('a count that fails', () => {
    const failure = new Error('Redis is away');
    const fail = () => {
      deployment.gate = Promise.reject(failure);
      deployment.gate.catch(() => undefined);
    };

    it('is reported, not thrown, if it was read in the background, and repeated at the next call', async () => {
      const process = deployment.startProcess();
      deployment.organization.maximumConcurrentStreams = 5;
      await process.isFull({ environmentId });
      deployment.time += 1_000;
      fail();
      expect(await process.isFull({ environmentId })).toBe(false);
      await deployment.settled();
      expect(deployment.failures).toEqual([failure]);
      deployment.gate = Promise.resolve();
      expect(await process.isFull({ environmentId })).toBe(false);
      await deployment.settled();
      expect([deployment.failures.length, deployment.counted.length]).toEqual([1, 3]);
    });

    it('is read even if a full Redis does not accept the claim of a recount', async () => {
      const request = newRequest();
      await deployment.startProcess().start(request);
      const full = new Error("OOM command not allowed when used memory > 'maxmemory'.");
      deployment.claimGate = Promise.reject(full);
      deployment.claimGate.catch(() => undefined);
      expect(await deployment.startProcess().isFull(request)).toBe(true);
      expect([deployment.failures, deployment.recounted]).toEqual([[full], []]);
    });

    it('is thrown if there is no count yet or the organization was full: no session is admitted without a count', async () => {
      const process = deployment.startProcess();
      fail();
      await expect(process.isFull({ environmentId })).rejects.toThrow(failure);
      deployment.gate = Promise.resolve();
      await process.isFull({ environmentId });
      process.usage.countOne(deployment.organization);
      deployment.time += 1_000;
      fail();
      await expect(process.isFull({ environmentId })).rejects.toThrow(failure);
      expect(deployment.failures).toEqual([]);
    });
  });
});
