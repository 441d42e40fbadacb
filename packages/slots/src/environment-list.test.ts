import { primariesOf } from '@multi-drm/service-kit';
import { type ActiveSessionDetails, type ActiveSessionPage, InvalidCursor, type PageRequest } from './slot-store';
import {
  activeIds,
  another,
  connect,
  copySession,
  describeOnEveryRedis,
  ended,
  expectOutcome,
  formerBuckets,
  formerRequest,
  neighbourOf,
  newRequest,
  reserveMany,
  storeOn,
  untilRedisTime,
} from './testing/test-store';

describeOnEveryRedis((client, kind) => {
  /** Reads all pages of a list; `between` runs after each. */
  const readAll = async (
    list: (page: PageRequest) => Promise<ActiveSessionPage>,
    limit: number,
    between: () => Promise<unknown> = async () => undefined,
  ): Promise<ActiveSessionDetails[][]> => {
    const pages: ActiveSessionDetails[][] = [];
    let cursor: string | null | undefined;
    while (cursor !== null) {
      const page = await list({ limit, cursor });
      pages.push(page.sessions);
      cursor = page.cursor;
      await between();
    }
    return pages;
  };
  const idsOf = (sessions: { sessionId: string }[]) => sessions.map(({ sessionId }) => sessionId);

  describe('the active sessions of a subject', () => {
    it('are listed with all their details', async () => {
      const store = storeOn(client);
      const details = {
        contentId: 'Zoë 🎬',
        contentType: 'live' as const,
        drmSystem: 'fairplay' as const,
        applicationId: 'lms',
        clientPlatform: 'web',
        attemptId: 'attempt-1',
        reporting: { course: 'algebra' },
      };
      const full = newRequest({ details, subject: 'a:b:{c} Zoë 🎬' });
      const bare = another(full, { details: newRequest().details });
      const first = expectOutcome(await store.reserve(full), 'reserved');
      const second = expectOutcome(await store.reserve(bare), 'reserved');
      await store.countLicenseRequest({ ...full, callsPerMinute: null });
      const times = ({ startedAt, expiresAt }: typeof first) => ({ startedAt, expiresAt });
      const sessions = [
        { sessionId: full.sessionId, subject: full.subject, ...details, licenseRequests: 1, ...times(first) },
        {
          sessionId: bare.sessionId,
          subject: full.subject,
          ...bare.details,
          applicationId: null,
          clientPlatform: null,
          attemptId: null,
          reporting: null,
          licenseRequests: 0,
          ...times(second),
        },
      ];
      expect(await store.listSubject(full.environmentId, full.subject, { limit: 2 })).toEqual({
        sessions,
        cursor: null,
      });
      const all = await store.listEnvironment(full.environmentId, { limit: 2 });
      expect(all.cursor).toBeNull();
      expect(all.sessions).toHaveLength(2);
      expect(all.sessions).toEqual(expect.arrayContaining(sessions));
    });

    it('are listed oldest first and once each, in pages no longer than the limit', async () => {
      const store = storeOn(client);
      const requests = await reserveMany(store, 7);
      const { environmentId, subject } = requests[0];
      const pages = await readAll((page) => store.listSubject(environmentId, subject, page), 3);
      expect(pages.map(({ length }) => length)).toEqual([3, 3, 1]);
      expect(idsOf(pages.flat())).toEqual(idsOf(requests));
      expect(await readAll((page) => store.listSubject(environmentId, subject, page), 7)).toHaveLength(1);
    });

    it('never exceed the stream limit on a page, even if they replace each other quickly', async () => {
      const store = storeOn(client);
      const limited = { limit: 2, atStreamLimit: 'evict-oldest' as const };
      const [first] = await reserveMany(store, 2, limited);
      const other = connect(kind);
      let over = false;
      const churn = (async () => {
        const creating = storeOn(other);
        while (!over) await Promise.all([1, 2, 3].map(() => creating.reserve(another(first))));
      })();
      const lengths: number[] = [];
      for (let page = 0; page < 100; page += 1) lengths.push((await activeIds(store, first)).length);
      over = true;
      await churn;
      other.disconnect();
      expect(new Set(lengths)).toEqual(new Set([2]));
    });

    it('are found among hundreds that have expired', async () => {
      const store = storeOn(client);
      const [first] = await reserveMany(store, 2);
      const expired = Array.from({ length: 900 }, (_, i) => `expired-session-${i}`);
      await copySession(client, first, expired, -1);
      const pages = await readAll((page) => store.listSubject(first.environmentId, first.subject, page), 1);
      expect(pages.map(({ length }) => length)).toEqual([1, 1]);
      expect(await store.countOf(first.environmentId, first.subject)).toBe(2);
    });

    it('can be a hundred', async () => {
      const store = storeOn(client);
      const [first] = await reserveMany(store, 1);
      const others = Array.from({ length: 99 }, () => another(first));
      await Promise.all(others.map((request) => store.reserve(request)));
      const pages = await readAll((page) => store.listSubject(first.environmentId, first.subject, page), 40);
      expect(new Set(idsOf(pages.flat()))).toEqual(new Set(idsOf([first, ...others])));
      expect(pages.map(({ length }) => length)).toEqual([40, 40, 20]);
      expect(await readAll((page) => store.listSubject(first.environmentId, first.subject, page), 100)).toHaveLength(1);
    });

    it('are counted and listed without expired or released ones and those of a neighbour', async () => {
      const store = storeOn(client);
      const short = newRequest({ lifetimeMilliseconds: 500 });
      const { expiresAt } = expectOutcome(await store.reserve(short), 'reserved');
      const [active, released] = [another(short, { lifetimeMilliseconds: 60_000 }), another(short)];
      await store.reserve(active);
      await store.reserve(released);
      await store.release(ended(released));
      const neighbour = another(active, { subject: neighbourOf(active) });
      await store.reserve(neighbour);
      await untilRedisTime(client, expiresAt);
      expect(await store.countOf(active.environmentId, active.subject)).toBe(1);
      expect(await activeIds(store, active)).toEqual([active.sessionId]);
      const all = await store.listEnvironment(active.environmentId, { limit: 10 });
      expect(idsOf(all.sessions).sort()).toEqual(idsOf([active, neighbour]).sort());
      expect(await store.countOf(active.environmentId, 'nobody')).toBe(0);
    });
  });

  describe('the active sessions of an environment', () => {
    const reserveAll = async (count: number) => {
      const store = storeOn(client);
      const { environmentId } = newRequest();
      // Some subjects share a bucket, and some have several sessions.
      const requests = Array.from({ length: count }, (_, i) =>
        newRequest({ environmentId, subject: `viewer-${i >> 1}` }),
      );
      await Promise.all(requests.map((request) => store.reserve(request)));
      return { store, environmentId, requests };
    };

    it('are listed once over all pages', async () => {
      const { store, environmentId, requests } = await reserveAll(600);
      for (const limit of [1000, 600, 599, 97]) {
        const pages = await readAll((page) => store.listEnvironment(environmentId, page), limit);
        expect(idsOf(pages.flat()).sort()).toEqual(idsOf(requests).sort());
        expect(pages).toHaveLength(Math.ceil(600 / limit));
      }
      expect(await store.listEnvironment(newRequest().environmentId, { limit: 10 })).toEqual({
        sessions: [],
        cursor: null,
      });
    });

    it('are not listed if they are under a former hash key, where no other call finds them', async () => {
      const { store, environmentId, requests } = await reserveAll(10);
      for (let i = 0; i < 10; i += 1) {
        const former = formerRequest({ environmentId });
        expectOutcome(await store.reserve(former), 'reserved');
        expect((await store.find(former)).state).toBe('unknown');
      }
      // Those that are under both keys are listed once.
      for (const request of requests) await store.reserve({ ...request, buckets: formerBuckets });
      const pages = await readAll((page) => store.listEnvironment(environmentId, page), 3);
      expect(idsOf(pages.flat()).sort()).toEqual(idsOf(requests).sort());
    });

    it('that stay active are listed once while others start, end and renew', async () => {
      const { store, environmentId, requests } = await reserveAll(200);
      const ending = requests.filter((_, i) => i % 4 === 1);
      const staying = requests.filter((_, i) => i % 4 !== 1);
      let turn = 0;
      const between = async (): Promise<void> => {
        turn += 1;
        await store.reserve(newRequest({ environmentId, subject: `late-${turn}` }));
        await Promise.all(ending.splice(0, 5).map((request) => store.release(ended(request))));
        const renewal = {
          lifetimeMilliseconds: 7_200_000,
          maximumSessionMilliseconds: 86_400_000,
          callsPerMinute: null,
        };
        await Promise.all(staying.map((request) => store.renew({ ...request, ...renewal })));
      };
      const listed = idsOf((await readAll((page) => store.listEnvironment(environmentId, page), 13, between)).flat());
      expect(new Set(listed).size).toBe(listed.length);
      expect(listed).toEqual(expect.arrayContaining(idsOf(staying)));
    });
  });

  describe('a page', () => {
    const cursorOf = (page: ActiveSessionPage) => page.cursor ?? '';

    it('rejects a made-up cursor and one of another list', async () => {
      const store = storeOn(client);
      const [{ environmentId, subject }] = await reserveMany(store, 3);
      const subjectCursor = cursorOf(await store.listSubject(environmentId, subject, { limit: 1 }));
      const environmentCursor = cursorOf(await store.listEnvironment(environmentId, { limit: 1 }));
      const made = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
      const madeUp = [
        '',
        'x',
        '!!!',
        `${subjectCursor}=`,
        made(null),
        made(['environment', environmentId, 1024, 'a:b']),
      ];
      const other = newRequest().environmentId;
      for (const cursor of [...madeUp, environmentCursor]) {
        await expect(store.listSubject(environmentId, subject, { limit: 1, cursor })).rejects.toThrow(InvalidCursor);
      }
      for (const cursor of [...madeUp, subjectCursor]) {
        await expect(store.listEnvironment(environmentId, { limit: 1, cursor })).rejects.toThrow(InvalidCursor);
      }
      const page = { limit: 1, cursor: subjectCursor };
      await expect(store.listSubject(environmentId, 'another', page)).rejects.toThrow(InvalidCursor);
      await expect(store.listSubject(other, subject, page)).rejects.toThrow(InvalidCursor);
      await expect(store.listEnvironment(other, { limit: 1, cursor: environmentCursor })).rejects.toThrow(
        InvalidCursor,
      );
    });

    it.each([0, 1001, 1.5])('rejects a size of %p', async (limit) => {
      const { environmentId, subject } = newRequest();
      await expect(storeOn(client).listSubject(environmentId, subject, { limit })).rejects.toThrow(RangeError);
      await expect(storeOn(client).listEnvironment(environmentId, { limit })).rejects.toThrow(RangeError);
    });
  });

  if (kind === 'a cluster') {
    it('the keys of 1,000 subjects are on all three nodes', async () => {
      const store = storeOn(client);
      const { environmentId } = newRequest();
      const requests = Array.from({ length: 1000 }, (_, i) => newRequest({ environmentId, subject: `viewer-${i}` }));
      await Promise.all(requests.map((request) => store.reserve(request)));
      const found = await Promise.all(primariesOf(client).map((node) => node.keys(`slots:{*}:${environmentId}:*`)));
      expect(found.map(({ length }) => length > 200)).toEqual([true, true, true]);
      expect(found.flat()).toHaveLength(1000);
    });
  }
});
