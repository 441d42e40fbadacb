import { randomUUID } from 'node:crypto';
import { OrganizationStreams } from './organization-streams';
import { describeOnEveryRedis, exactClock } from './testing/test-store';

describeOnEveryRedis((client) => {
  let streams: OrganizationStreams;
  beforeAll(() => {
    streams = new OrganizationStreams(client, exactClock());
  });

  test('a start that is written after a renewal keeps the later end', async () => {
    const organizationId = randomUUID();
    const [member, now] = ['environment:session:viewer', Date.now()];
    await streams.add(organizationId, [{ member, expiresAt: now + 1_000 }]);
    await streams.extend(organizationId, member, now + 60_000);
    await streams.add(organizationId, [{ member, expiresAt: now + 1_000 }]);
    expect(await streams.all(organizationId)).toEqual(new Map([[member, now + 60_000]]));
  });
});
