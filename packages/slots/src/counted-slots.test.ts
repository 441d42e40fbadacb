import { OrganizationStreams, streamMember } from './organization-streams';
import { Deployment } from './testing/deployment';
import { another, describeOnEveryRedis, ended, expectOutcome, newRequest } from './testing/test-store';

describeOnEveryRedis((client) => {
  let deployment: Deployment;
  beforeEach(() => {
    deployment = Deployment.on(client);
  });
  afterEach(() => deployment.settled());

  it('a session that is restored is a stream again', async () => {
    const { slots } = deployment.startProcess();
    const request = { ...newRequest(), startedAt: new Date(), expiresAt: new Date(Date.now() + 600_000) };
    expect(await slots.restore(request)).toBe('reserved');
    expect(await deployment.streamsNow()).toBe(1);
    await slots.restore({ ...request, organizationIsFull: true, sessionId: `${request.sessionId}-2` });
    expect(await deployment.streamsNow()).toBe(1);
    expect(await deployment.streamsNow(700_000)).toBe(0);
  });

  describe('a stream ends with its session', () => {
    it('when it is released or undone', async () => {
      const { slots, start } = deployment.startProcess();
      const [released, undone] = [newRequest(), newRequest()];
      await start(released);
      await start(undone);
      expect(await deployment.streamsNow()).toBe(2);
      await slots.release(ended(released));
      expect(await deployment.streamsNow()).toBe(1);
      await slots.undo(undone);
      expect(await deployment.streamsNow()).toBe(0);
    });

    it('when another session replaces or evicts it', async () => {
      const { start } = deployment.startProcess();
      const first = newRequest();
      await start(first);
      const second = another(first, { replacesSessionId: first.sessionId });
      await start(second);
      expect(await deployment.streamsNow()).toBe(1);
      await start(another(second, { replacesSessionId: null, limit: 1, atStreamLimit: 'evict-oldest' }));
      expect(await deployment.streamsNow()).toBe(1);
    });

    it('when it expires, by the clock of Redis, and not before the end set by a renewal', async () => {
      const { slots, start } = deployment.startProcess();
      const request = newRequest({ lifetimeMilliseconds: 600_000 });
      const renewed = another(request);
      for (const each of [request, renewed]) await start(each);
      const renewal = { lifetimeMilliseconds: 1_200_000, maximumSessionMilliseconds: 3_600_000, callsPerMinute: null };
      expectOutcome(await slots.renew({ ...renewed, ...renewal }), 'renewed');
      const left = [];
      for (const later of [0, 400_000, 800_000, 1_200_000]) left.push(await deployment.streamsNow(later));
      expect(left).toEqual([2, 2, 1, 0]);
    });

    it('and is not added again when a renewal is written after its release', async () => {
      const { slots, start } = deployment.startProcess();
      const request = newRequest();
      await start(request);
      const { organizationId } = deployment.organization;
      await slots.release(ended(request));
      await deployment.settled();
      await new OrganizationStreams(client, deployment.clock).extend(
        organizationId,
        streamMember(request),
        Date.now() + 60_000,
      );
      expect(await deployment.streamsNow()).toBe(0);
    });
  });
});
