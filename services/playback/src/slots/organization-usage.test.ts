import { randomUUID } from 'node:crypto';
import { OrganizationUsage } from './organization-usage';
import type { RedisSlotStore } from './redis-slot-store';
import {
  another,
  connect,
  ended,
  expectOutcome,
  newRequest,
  redisKinds,
  storeOn,
  type TestClient,
} from './testing/test-store';

describe.each(redisKinds)('on %s', (kind) => {
  let client: TestClient;
  let store: RedisSlotStore;
  let time: number;
  let failures: unknown[];
  let counted: string[];
  /** What reading a count waits for, or fails with. */
  let gate: Promise<void>;
  beforeAll(() => {
    client = connect(kind);
    store = storeOn(client);
  });
  beforeEach(() => {
    time = 50_000;
    failures = [];
    counted = [];
    underWay = 0;
    gate = Promise.resolve();
  });
  afterAll(() => client.quit());

  const organizationWith = (maximumConcurrentStreams: number | null) => ({
    organizationId: randomUUID(),
    maximumConcurrentStreams,
  });

  /** Calls of Redis, and counts, that are under way. */
  let underWay: number;

  async function followed<Result>(call: Promise<Result>): Promise<Result> {
    underWay += 1;
    try {
      return await call;
    } finally {
      underWay -= 1;
    }
  }

  /** The usage as one process knows it, on a clock of the test. */
  function usageOfProcess(): OrganizationUsage {
    const slots = {
      countEnvironment: async (environmentId: string) => {
        counted.push(environmentId);
        await gate;
        return store.countEnvironment(environmentId);
      },
    };
    const following: ProxyHandler<object> = {
      get: (target, name) => {
        const member: unknown = Reflect.get(target, name);
        if (typeof member !== 'function') return member;
        return (...values: unknown[]) => followed(Promise.resolve(Reflect.apply(member, target, values)));
      },
    };
    const options = { client: new Proxy(client, following) as TestClient, now: () => time };
    return new OrganizationUsage({
      ...options,
      slots: new Proxy(slots, following) as typeof slots,
      onFailure: (error) => failures.push(error),
    });
  }

  /** Resolves when what was begun in the background is done. */
  async function settled(): Promise<void> {
    do {
      await client.ping();
      // What follows upon an answer begins before this.
      await new Promise(setImmediate);
    } while (underWay > 0);
  }

  describe('the streams of an organization', () => {
    it('are counted over all its environments', async () => {
      const usage = usageOfProcess();
      const organization = organizationWith(3);
      const [first, second] = [newRequest(), newRequest()];
      for (const request of [first, another(first), second]) {
        expect(await usage.isFull(organization, request.environmentId)).toBe(false);
        expectOutcome(await store.reserve(request), 'reserved');
        time += 1_000;
      }
      const later = usageOfProcess();
      expect(await later.isFull(organization, first.environmentId)).toBe(true);
      expect(await later.isFull({ ...organization, maximumConcurrentStreams: 4 }, first.environmentId)).toBe(false);
    });

    it('are counted also in an environment whose only sessions started while a count was fresh', async () => {
      const usage = usageOfProcess();
      const organization = organizationWith(1);
      const request = newRequest();
      await usage.isFull(organization, randomUUID());
      expect(await usage.isFull(organization, request.environmentId)).toBe(false);
      expect(counted).toHaveLength(1);
      await store.reserve(request);
      expect(await usageOfProcess().isFull(organization, randomUUID())).toBe(true);
    });

    it('are counted again after Redis lost what it knew of the environments', async () => {
      const usage = usageOfProcess();
      const organization = organizationWith(1);
      const [first, second] = [newRequest(), newRequest()];
      for (const { environmentId } of [first, second]) await usage.isFull(organization, environmentId);
      await settled();
      await client.del(`organization-environments:{${organization.organizationId}}`);
      await store.reserve(second);
      time += 1_000;
      await usage.isFull(organization, first.environmentId);
      await settled();
      expect(await usageOfProcess().isFull(organization, first.environmentId)).toBe(true);
    });

    it('of another organization do not count', async () => {
      const request = newRequest();
      await store.reserve(request);
      const usage = usageOfProcess();
      expect(await usage.isFull(organizationWith(1), request.environmentId)).toBe(true);
      expect(await usage.isFull(organizationWith(1), randomUUID())).toBe(false);
    });

    it('are read again once the count is a second old, and not before', async () => {
      const usage = usageOfProcess();
      const organization = organizationWith(1);
      const request = newRequest();
      await store.reserve(request);
      expect(await usage.isFull(organization, request.environmentId)).toBe(true);
      await store.release(ended(request));
      time += 999;
      expect(await usage.isFull(organization, request.environmentId)).toBe(true);
      expect(counted).toHaveLength(1);
      time += 1;
      expect(await usage.isFull(organization, request.environmentId)).toBe(false);
      expect(counted).toHaveLength(2);
    });

    it('are read once for all calls that ask at the same time', async () => {
      const usage = usageOfProcess();
      const [organization, environmentId] = [organizationWith(1), randomUUID()];
      await Promise.all(Array.from({ length: 20 }, () => usage.isFull(organization, environmentId)));
      expect(counted).toEqual([environmentId]);
    });

    it('are read behind the back of a call while the last count was below the limit', async () => {
      const usage = usageOfProcess();
      const organization = organizationWith(1);
      const request = newRequest();
      expect(await usage.isFull(organization, request.environmentId)).toBe(false);
      await store.reserve(request);
      time += 1_000;
      let open: () => void = () => undefined;
      gate = new Promise((resolve) => {
        open = resolve;
      });
      expect(await usage.isFull(organization, request.environmentId)).toBe(false);
      open();
      await settled();
      expect(await usage.isFull(organization, request.environmentId)).toBe(true);
    });

    it('that this process started since the count are added to it', async () => {
      const usage = usageOfProcess();
      const organization = organizationWith(2);
      const request = newRequest();
      for (const full of [false, false, true]) {
        expect(await usage.isFull(organization, request.environmentId)).toBe(full);
        if (full) continue;
        expectOutcome(await store.reserve(another(request)), 'reserved');
        usage.countOne(organization);
      }
    });

    it('that ended since refuse nobody: they are counted anew before a refusal', async () => {
      const usage = usageOfProcess();
      const organization = organizationWith(2);
      const request = newRequest();
      for (let round = 0; round < 5; round += 1) {
        expect(await usage.isFull(organization, request.environmentId)).toBe(false);
        const session = another(request);
        expectOutcome(await store.reserve(session), 'reserved');
        usage.countOne(organization);
        await store.release(ended(session));
      }
    });

    it('that started while a count was under way stay added to it', async () => {
      const usage = usageOfProcess();
      const organization = organizationWith(2);
      const request = newRequest();
      await usage.isFull(organization, request.environmentId);
      time += 1_000;
      let open: () => void = () => undefined;
      gate = new Promise((resolve) => {
        open = resolve;
      });
      expect(await usage.isFull(organization, request.environmentId)).toBe(false);
      usage.countOne(organization);
      usage.countOne(organization);
      open();
      await settled();
      const before = counted.length;
      await usage.isFull(organization, request.environmentId);
      expect(counted.length).toBe(before + 1);
    });

    it('may overshoot by what other processes start within a second', async () => {
      const processes = [usageOfProcess(), usageOfProcess()];
      const organization = organizationWith(1);
      const request = newRequest();
      for (const usage of processes) expect(await usage.isFull(organization, request.environmentId)).toBe(false);
      for (const usage of processes) {
        expect(await usage.isFull(organization, request.environmentId)).toBe(false);
        expectOutcome(await store.reserve(another(request)), 'reserved');
        usage.countOne(organization);
      }
      expect(await store.countEnvironment(request.environmentId)).toBe(2);
      time += 1_000;
      for (const usage of processes) expect(await usage.isFull(organization, request.environmentId)).toBe(true);
    });
  });

  describe('without a limit', () => {
    it('nothing is asked of Redis', async () => {
      const calls = jest.spyOn(client, 'smembers');
      const usage = usageOfProcess();
      const organization = organizationWith(null);
      expect(await usage.isFull(organization, randomUUID())).toBe(false);
      usage.countOne(organization);
      expect([counted, calls.mock.calls]).toEqual([[], []]);
      expect(await client.exists(`organization-environments:{${organization.organizationId}}`)).toBe(0);
      calls.mockRestore();
    });
  });

  describe('a count that fails', () => {
    const failure = new Error('Redis is away');
    const fail = () => {
      gate = Promise.reject(failure);
      gate.catch(() => undefined);
    };

    it('is reported where it was read in the background, not thrown, and tried again at the next call', async () => {
      const usage = usageOfProcess();
      const [organization, environmentId] = [organizationWith(5), randomUUID()];
      await usage.isFull(organization, environmentId);
      time += 1_000;
      fail();
      expect(await usage.isFull(organization, environmentId)).toBe(false);
      await settled();
      expect(failures).toEqual([failure]);
      gate = Promise.resolve();
      expect(await usage.isFull(organization, environmentId)).toBe(false);
      await settled();
      expect([failures.length, counted.length]).toEqual([1, 3]);
    });

    it('is thrown where nothing is known yet, or the organization was full: nobody is let in blindly', async () => {
      const usage = usageOfProcess();
      const [organization, environmentId] = [organizationWith(1), randomUUID()];
      fail();
      await expect(usage.isFull(organization, environmentId)).rejects.toThrow(failure);
      gate = Promise.resolve();
      await usage.isFull(organization, environmentId);
      usage.countOne(organization);
      time += 1_000;
      fail();
      await expect(usage.isFull(organization, environmentId)).rejects.toThrow(failure);
      expect(failures).toEqual([]);
    });
  });
});
