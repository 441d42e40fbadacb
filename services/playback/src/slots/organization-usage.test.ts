import { randomUUID } from 'node:crypto';
import { CountedSlots } from './counted-slots';
import { OrganizationStreams, streamMember } from './organization-streams';
import { OrganizationUsage } from './organization-usage';
import { RedisClock } from './redis-clock';
import type { RedisSlotStore } from './redis-slot-store';
import type { ReserveRequest, SlotStore } from './slot-store';
import { StreamRecount } from './stream-recount';
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
  let clock: RedisClock;
  let time: number;
  let failures: unknown[];
  /** Organizations that were counted and recounted. */
  let counted: string[];
  let recounted: string[];
  /** What reading a count waits for or fails with. */
  let gate: Promise<void>;
  /** The same for claiming a recount. */
  let claimGate: Promise<void>;
  /** What a recount does instead of its work. */
  let recountGate: Promise<void> | null;
  /** Pending calls of Redis and counts. */
  let underWay: number;
  let organization: { organizationId: string; maximumConcurrentStreams: number | null };
  let archived: Set<string>;
  /** An environment in which no session starts. */
  const environmentId = randomUUID();
  beforeAll(async () => {
    client = connect(kind);
    store = storeOn(client);
    // All decisions use the time of Redis.
    clock = new RedisClock(() => Date.now() - 3_600_000);
    await clock.synchronize(client);
  });
  beforeEach(() => {
    time = 50_000;
    failures = [];
    counted = [];
    recounted = [];
    underWay = 0;
    gate = Promise.resolve();
    claimGate = Promise.resolve();
    recountGate = null;
    archived = new Set();
    organization = { organizationId: randomUUID(), maximumConcurrentStreams: 1 };
  });
  afterEach(() => settled());
  afterAll(() => client.quit());

  async function followed<Result>(call: Promise<Result>): Promise<Result> {
    underWay += 1;
    try {
      return await call;
    } finally {
      underWay -= 1;
    }
  }

  /** Wraps an object so that a test can wait for its background calls. */
  function following<Part extends object>(part: Part): Part {
    return new Proxy(part, {
      get: (target, name) => {
        const member: unknown = Reflect.get(target, name);
        if (typeof member !== 'function') return member;
        return (...values: unknown[]) => followed(Promise.resolve(Reflect.apply(member, target, values)));
      },
    });
  }

  /** The slots and usage of one process, with a clock of the test. */
  function startProcess(): { usage: OrganizationUsage; slots: SlotStore; start: typeof start } {
    const onFailure = (error: unknown) => failures.push(error);
    const streams = new OrganizationStreams(following(client), clock);
    const recount = new StreamRecount({ client, clock, streams, isPublished: async (id) => !archived.has(id) });
    const usage = new OrganizationUsage({
      streams: {
        noteEnvironment: (...values) => streams.noteEnvironment(...values),
        claimRecount: (id) => claimGate.then(() => streams.claimRecount(id)),
        count: (id) => {
          counted.push(id);
          return followed(gate.then(() => streams.count(id)));
        },
      },
      recount: (id) => {
        recounted.push(id);
        return recountGate ?? followed(recount.run(id));
      },
      // On a machine under load, a recount may take long.
      recountPatience: recountGate === null ? 60_000 : 10,
      now: () => time,
      onFailure,
    });
    const slots = new CountedSlots({ slots: store, streams, organizationOf: async () => organization, onFailure });
    /** Reserves a session as a create does; resolves when the background writes are done. */
    const start = async (request: ReserveRequest) => {
      expectOutcome(await slots.reserve(request), 'reserved');
      usage.countOne(organization);
      await settled();
    };
    return { usage, slots, start };
  }

  const isFull = ({ usage }: { usage: OrganizationUsage }, { environmentId }: { environmentId: string }) =>
    usage.isFull(organization, environmentId);

  /** Resolves when all background work is done. */
  async function settled(): Promise<void> {
    do {
      await client.ping();
      // Work that follows a reply has started by now.
      await new Promise(setImmediate);
    } while (underWay > 0);
  }

  /** The number of written streams, or of those left after this many milliseconds. */
  async function streamsNow(later = 0): Promise<number> {
    await settled();
    const laterClock = new RedisClock(() => clock.now().getTime() + later);
    return new OrganizationStreams(client, laterClock).count(organization.organizationId);
  }

  /** Makes the next count do a recount, as if a minute had passed since the last one. */
  const passMinute = () => client.del(`organization-streams-recounted:{${organization.organizationId}}`);

  /** Does a recount; resolves when it is done. */
  async function recountNow(): Promise<void> {
    await passMinute();
    await isFull(startProcess(), { environmentId });
    await settled();
  }

  describe('the streams of an organization', () => {
    it('are counted across all its environments', async () => {
      const process = startProcess();
      organization.maximumConcurrentStreams = 3;
      const first = newRequest();
      for (const request of [first, another(first), newRequest()]) {
        expect(await isFull(process, request)).toBe(false);
        await process.start(request);
        time += 1_000;
      }
      expect(await isFull(startProcess(), first)).toBe(true);
      organization.maximumConcurrentStreams = 4;
      expect(await isFull(startProcess(), first)).toBe(false);
    });

    it('take the same few commands for any number of environments, after the recount of the minute', async () => {
      const process = startProcess();
      organization.maximumConcurrentStreams = 100;
      const requests = Array.from({ length: 20 }, () => newRequest());
      for (const request of requests) {
        await isFull(process, request);
        await process.start(request);
      }
      time += 1_000;
      const sent = jest.spyOn(client, 'sendCommand');
      for (const request of requests) expect(await isFull(process, request)).toBe(false);
      await followed(client.ping());
      const names = sent.mock.calls.map(([{ name }]) => name).filter((name) => name !== 'ping');
      sent.mockRestore();
      expect(names.sort()).toEqual(['set', 'zcount']);
    });

    it('of another organization are not counted', async () => {
      const request = newRequest();
      await startProcess().start(request);
      expect(await isFull(startProcess(), request)).toBe(true);
      organization = { ...organization, organizationId: randomUUID() };
      expect(await isFull(startProcess(), newRequest())).toBe(false);
    });

    it('are read again when the count is a second old, not before', async () => {
      const process = startProcess();
      const request = newRequest();
      await startProcess().start(request);
      expect(await isFull(process, request)).toBe(true);
      await process.slots.release(ended(request));
      await settled();
      counted = [];
      time += 999;
      expect(await isFull(process, request)).toBe(true);
      expect(counted).toHaveLength(0);
      time += 1;
      expect(await isFull(process, request)).toBe(false);
      expect(counted).toHaveLength(1);
    });

    it('are read once for all concurrent calls', async () => {
      const process = startProcess();
      await Promise.all(Array.from({ length: 20 }, () => isFull(process, { environmentId })));
      expect(counted).toEqual([organization.organizationId]);
    });

    it('are read in the background while the last count was below the limit', async () => {
      const process = startProcess();
      const request = newRequest();
      expect(await isFull(process, request)).toBe(false);
      await startProcess().start(request);
      time += 1_000;
      let open: () => void = () => undefined;
      gate = new Promise((resolve) => {
        open = resolve;
      });
      expect(await isFull(process, request)).toBe(false);
      open();
      await settled();
      expect(await isFull(process, request)).toBe(true);
    });

    it('that this process started after the count are added to it', async () => {
      const process = startProcess();
      organization.maximumConcurrentStreams = 2;
      const request = newRequest();
      for (const full of [false, false, true]) {
        expect(await isFull(process, request)).toBe(full);
        if (!full) await process.start(another(request));
      }
    });

    it('that have ended cause no refusal: streams are counted again before a refusal', async () => {
      const process = startProcess();
      organization.maximumConcurrentStreams = 2;
      const request = newRequest();
      for (let round = 0; round < 5; round += 1) {
        expect(await isFull(process, request)).toBe(false);
        const session = another(request);
        await process.start(session);
        await process.slots.release(ended(session));
      }
    });

    it('that started during a count stay added to it', async () => {
      const process = startProcess();
      organization.maximumConcurrentStreams = 2;
      await isFull(process, { environmentId });
      time += 1_000;
      let open: () => void = () => undefined;
      gate = new Promise((resolve) => {
        open = resolve;
      });
      expect(await isFull(process, { environmentId })).toBe(false);
      process.usage.countOne(organization);
      process.usage.countOne(organization);
      open();
      await settled();
      const before = counted.length;
      await isFull(process, { environmentId });
      expect(counted.length).toBe(before + 1);
    });

    it('may exceed the limit by what other processes start within a second', async () => {
      const processes = [startProcess(), startProcess()];
      const request = newRequest();
      for (const process of processes) expect(await isFull(process, request)).toBe(false);
      for (const process of processes) {
        expect(await isFull(process, request)).toBe(false);
        await process.start(another(request));
      }
      expect(await streamsNow()).toBe(2);
      time += 1_000;
      for (const process of processes) expect(await isFull(process, request)).toBe(true);
    });
  });

  describe('a stream ends with its session', () => {
    it('when it is released or undone', async () => {
      const { slots, start } = startProcess();
      const [released, undone] = [newRequest(), newRequest()];
      await start(released);
      await start(undone);
      expect(await streamsNow()).toBe(2);
      await slots.release(ended(released));
      expect(await streamsNow()).toBe(1);
      await slots.undo(undone);
      expect(await streamsNow()).toBe(0);
    });

    it('when another session replaces or evicts it', async () => {
      const { start } = startProcess();
      const first = newRequest();
      await start(first);
      const second = another(first, { replacesSessionId: first.sessionId });
      await start(second);
      expect(await streamsNow()).toBe(1);
      await start(another(second, { replacesSessionId: null, limit: 1, atStreamLimit: 'evict-oldest' }));
      expect(await streamsNow()).toBe(1);
    });

    it('when it expires, by the clock of Redis, and not before the end set by a renewal', async () => {
      const { slots, start } = startProcess();
      const request = newRequest({ lifetimeMilliseconds: 600_000 });
      const renewed = another(request);
      for (const each of [request, renewed]) await start(each);
      const renewal = { lifetimeMilliseconds: 1_200_000, maximumSessionMilliseconds: 3_600_000, callsPerMinute: null };
      expectOutcome(await slots.renew({ ...renewed, ...renewal }), 'renewed');
      const left = [];
      for (const later of [0, 400_000, 800_000, 1_200_000]) left.push(await streamsNow(later));
      expect(left).toEqual([2, 2, 1, 0]);
    });

    it('and is not added again when a renewal is written after its release', async () => {
      const { slots, start } = startProcess();
      const request = newRequest();
      await start(request);
      const { organizationId } = organization;
      await slots.release(ended(request));
      await settled();
      await new OrganizationStreams(client, clock).extend(organizationId, streamMember(request), Date.now() + 60_000);
      expect(await streamsNow()).toBe(0);
    });
  });

  describe('once per minute', () => {
    it('one of all processes does a recount', async () => {
      const processes = [startProcess(), startProcess()];
      organization.maximumConcurrentStreams = 5;
      for (const process of processes) await isFull(process, { environmentId });
      time += 1_000;
      for (const process of processes) await isFull(process, { environmentId });
      await settled();
      expect(recounted).toEqual([organization.organizationId]);
      const left = await client.pttl(`organization-streams-recounted:{${organization.organizationId}}`);
      expect(left).toBeGreaterThan(0);
      expect(left).toBeLessThanOrEqual(60_000);
      await passMinute();
      time += 1_000;
      for (const process of processes) await isFull(process, { environmentId });
      await settled();
      expect(recounted).toHaveLength(2);
    });

    it('streams that a dead process did not write are added', async () => {
      const process = startProcess();
      organization.maximumConcurrentStreams = 5;
      const request = newRequest();
      await isFull(process, request);
      await settled();
      // Only the reservation, as if the process died before it wrote the rest.
      await store.reserve(request);
      expect(await streamsNow()).toBe(0);
      await recountNow();
      expect(await streamsNow()).toBe(1);
    });

    it('streams that a dead process did not remove are removed', async () => {
      const { start } = startProcess();
      organization.maximumConcurrentStreams = 5;
      const request = newRequest();
      await start(request);
      const kept = another(request);
      await start(kept);
      await store.release(ended(request));
      expect(await streamsNow()).toBe(2);
      await recountNow();
      expect(await streamsNow()).toBe(1);
    });

    it('streams that a dead process did not remove cause no refusal', async () => {
      const { start } = startProcess();
      const request = newRequest();
      await start(request);
      await store.release(ended(request));
      await passMinute();
      expect(await isFull(startProcess(), request)).toBe(false);
    });

    it('a refusal does not wait for a long recount, such as that of hundreds of environments', async () => {
      const request = newRequest();
      await startProcess().start(request);
      recountGate = new Promise(() => undefined);
      expect(await isFull(startProcess(), request)).toBe(true);
      expect(recounted).toHaveLength(1);
    });

    it('streams that started before the organization had a limit are counted', async () => {
      organization.maximumConcurrentStreams = null;
      const request = newRequest();
      await startProcess().start(request);
      organization.maximumConcurrentStreams = 1;
      expect(await isFull(startProcess(), request)).toBe(false);
      await settled();
      expect(await isFull(startProcess(), request)).toBe(true);
    });

    it('streams of archived environments are removed, and counted again when these are restored', async () => {
      const process = startProcess();
      organization.maximumConcurrentStreams = 5;
      const [first, second] = [newRequest(), newRequest()];
      for (const request of [first, second]) {
        await isFull(process, request);
        await process.start(request);
      }
      archived.add(first.environmentId);
      await recountNow();
      expect(await streamsNow()).toBe(1);
      archived.clear();
      await isFull(startProcess(), first);
      await recountNow();
      expect(await streamsNow()).toBe(2);
    });
  });

  describe('without a limit', () => {
    it('nothing is read from Redis', async () => {
      organization.maximumConcurrentStreams = null;
      const { usage, start } = startProcess();
      const request = newRequest();
      expect(await usage.isFull(organization, request.environmentId)).toBe(false);
      await start(request);
      expect(counted).toEqual([]);
      const tag = `{${organization.organizationId}}`;
      for (const name of ['streams', 'environments', 'streams-recounted']) {
        expect(await client.exists(`organization-${name}:${tag}`)).toBe(0);
      }
    });
  });

  describe('a count that fails', () => {
    const failure = new Error('Redis is away');
    const fail = () => {
      gate = Promise.reject(failure);
      gate.catch(() => undefined);
    };

    it('is reported, not thrown, if it was read in the background, and repeated at the next call', async () => {
      const process = startProcess();
      organization.maximumConcurrentStreams = 5;
      await isFull(process, { environmentId });
      time += 1_000;
      fail();
      expect(await isFull(process, { environmentId })).toBe(false);
      await settled();
      expect(failures).toEqual([failure]);
      gate = Promise.resolve();
      expect(await isFull(process, { environmentId })).toBe(false);
      await settled();
      expect([failures.length, counted.length]).toEqual([1, 3]);
    });

    it('is read even if a full Redis does not accept the claim of a recount', async () => {
      const request = newRequest();
      await startProcess().start(request);
      const full = new Error("OOM command not allowed when used memory > 'maxmemory'.");
      claimGate = Promise.reject(full);
      claimGate.catch(() => undefined);
      expect(await isFull(startProcess(), request)).toBe(true);
      expect([failures, recounted]).toEqual([[full], []]);
    });

    it('is thrown if there is no count yet or the organization was full: no session is admitted without a count', async () => {
      const process = startProcess();
      fail();
      await expect(isFull(process, { environmentId })).rejects.toThrow(failure);
      gate = Promise.resolve();
      await isFull(process, { environmentId });
      process.usage.countOne(organization);
      time += 1_000;
      fail();
      await expect(isFull(process, { environmentId })).rejects.toThrow(failure);
      expect(failures).toEqual([]);
    });
  });
});
