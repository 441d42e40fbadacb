import { activeSessionsKey, bucketHashTag, bucketsOfEnvironment, subjectHashTag } from '@multi-drm/contracts';
import { activeMember, readActiveMember, slotKeys } from './keys';

const environmentId = '5c0e4a52-6a3e-4d0b-9a53-0f9a4c1f2b77';
const sessionId = 'session-0123456789';

/** The part of a key that a cluster hashes: the text between the first opening and the next closing brace. */
function hashedPart(key: string): string | undefined {
  return /^[^{]*\{([^}]+)\}/.exec(key)?.[1];
}

describe('slotKeys', () => {
  it('builds every key from the session, the subject and their hash tag', () => {
    const tag = subjectHashTag(environmentId, 'viewer');
    expect(slotKeys(environmentId, 'viewer', sessionId)).toEqual({
      record: `session:${tag}:record:${sessionId}:viewer`,
      expiries: `session:${tag}:expiries:viewer`,
      starts: `session:${tag}:starts:viewer`,
      ended: `session:${tag}:ended`,
      details: `session:${tag}:details:viewer`,
      active: `session:${tag}:active`,
      endUser: `published:end-user:${tag}:viewer`,
    });
  });

  it.each(['viewer', 'a:b', '{other}', '}{', '', 'Zoë 🎬', 'line\nbreak'])(
    'puts all keys of the subject %j in one hash slot',
    (subject) => {
      const one = Object.values(slotKeys(environmentId, subject, sessionId)).map(hashedPart);
      const other = Object.values(slotKeys(environmentId, subject, 'another-session-id')).map(hashedPart);
      const tag = subjectHashTag(environmentId, subject);
      expect(new Set([...one, ...other].map((part) => `{${part}}`))).toEqual(new Set([tag]));
    },
  );

  it('distributes the subjects of one environment over many hash tags', () => {
    const tags = Array.from({ length: 1000 }, (_, i) => hashedPart(slotKeys(environmentId, `v${i}`, sessionId).record));
    expect(new Set(tags).size).toBeGreaterThan(200);
  });

  it("rejects a session id with a colon, whose record key could be another subject's", () => {
    expect(() => slotKeys(environmentId, 'c', 'a:b')).toThrow(RangeError);
  });

  it("builds exactly the lists of active sessions of the environment's buckets", () => {
    const named = Array.from({ length: 10_000 }, (_, i) => slotKeys(environmentId, `v${i}`, sessionId).active);
    const buckets = Array.from({ length: bucketsOfEnvironment }, (_, bucket) =>
      activeSessionsKey(bucketHashTag(environmentId, bucket)),
    );
    expect([...new Set(named)].sort()).toEqual(buckets.sort());
  });
});

test.each(['viewer', 'a:b', ':', 'Zoë 🎬'])(
  'a member of the list of active sessions names the session of the subject %j',
  (subject) => {
    expect(readActiveMember(activeMember(sessionId, subject))).toEqual({ sessionId, subject });
  },
);
