import { activeSessionsKey, bucketHashTag, bucketsOfDeployment } from '@multi-drm/contracts';
import { activeMember, readActiveMember, slotKeys } from './keys';
import { keysFor } from './slot-commands';
import { buckets } from './testing/subject-buckets';

const environmentId = '5c0e4a52-6a3e-4d0b-9a53-0f9a4c1f2b77';
const sessionId = 'session-0123456789';

/** The part of a key that a cluster hashes: the text between the first opening and the next closing brace. */
function hashedPart(key: string): string | undefined {
  return /^[^{]*\{([^}]+)\}/.exec(key)?.[1];
}

describe('slotKeys', () => {
  it('builds every key from the session, the subject and their hash tag', () => {
    const tag = buckets.hashTagOf(environmentId, 'viewer');
    expect(slotKeys(buckets, environmentId, 'viewer')).toEqual({
      slots: `slots:${tag}:${environmentId}:viewer`,
      ended: `ended-sessions:${tag}:7`,
      expiring: `expiring-environments:${tag}`,
      active: `active-sessions:${tag}:${environmentId}`,
      endUser: `published:viewer:${tag}:${environmentId}:${buckets.hashOf(environmentId, 'viewer')}`,
      events: `slot-events:${tag}`,
      droppedEvents: `slot-events-dropped:${tag}`,
    });
  });

  it.each(['viewer', 'a:b', '{other}', '}{', '', 'Zoë 🎬', 'line\nbreak'])(
    'puts all keys of the subject %j in one hash slot',
    (subject) => {
      const parts = Object.values(slotKeys(buckets, environmentId, subject)).map(hashedPart);
      const tag = buckets.hashTagOf(environmentId, subject);
      expect(new Set(parts.map((part) => `{${part}}`))).toEqual(new Set([tag]));
    },
  );

  it('distributes the subjects of one environment over many hash tags', () => {
    const tags = Array.from({ length: 1000 }, (_, i) => hashedPart(slotKeys(buckets, environmentId, `v${i}`).slots));
    expect(new Set(tags).size).toBeGreaterThan(500);
  });

  it('distributes the ended ids of a bucket over sixteen lists', () => {
    const lists = Array.from({ length: 100_000 }, (_, i) => slotKeys(buckets, environmentId, `v${i}`).ended);
    const bucketLists = lists.filter((list) => list.startsWith('ended-sessions:{7}:'));
    expect(new Set(bucketLists).size).toBe(16);
  });

  it("rejects a session id with a colon, whose slot could be another subject's", () => {
    expect(() => keysFor('find', buckets, { environmentId, subject: 'c', sessionId: 'a:b' })).toThrow(RangeError);
  });

  it('builds exactly the lists of active sessions of the buckets', () => {
    const named = Array.from({ length: 20_000 }, (_, i) => slotKeys(buckets, environmentId, `v${i}`).active);
    const lists = Array.from({ length: bucketsOfDeployment }, (_, bucket) =>
      activeSessionsKey(bucketHashTag(bucket), environmentId),
    );
    expect([...new Set(named)].sort()).toEqual(lists.sort());
  });
});

test.each(['viewer', 'a:b', ':', 'Zoë 🎬'])(
  'a member of the list of active sessions names the session of the subject %j',
  (subject) => {
    expect(readActiveMember(activeMember(sessionId, subject))).toEqual({ sessionId, subject });
  },
);
