import { pack } from '../message-pack';
import { packDetails } from '../packed-details';
import { readSlotEvent } from './slot-event';

const details = { contentId: 'lesson-0042', contentType: 'vod', drmSystem: 'widevine', clientPlatform: 'web' } as const;

const startedAt = 1_790_000_000_123_456;

/** The values of every entry, changed at some places. */
function entry(kind: number, rest: unknown[], changes: Record<number, unknown> = {}): Buffer {
  const values = [
    1,
    kind,
    'environment-1',
    'zoë:17',
    'session-1',
    'nonce-1',
    startedAt + 5,
    startedAt,
    1_790_000_000_124,
  ];
  const all = [...values, packDetails(details), ...rest].map((value, place) => changes[place] ?? value);
  return Buffer.concat(all.map(pack));
}

const common = {
  environmentId: 'environment-1',
  subject: 'zoë:17',
  sessionId: 'session-1',
  reservationId: 'nonce-1',
  at: startedAt + 5,
  startedAt,
  expiresAt: 1_790_000_000_124,
  details: { ...details, applicationId: null, attemptId: null, reporting: null },
};

describe('an event of a slot', () => {
  it.each<readonly [name: string, bytes: Buffer, expected: object]>([
    ['a start', entry(1, ['', 3]), { kind: 'started', replacesSessionId: null, activeSessions: 3 }],
    [
      'a start in place of another',
      entry(1, ['session-0', 1]),
      { kind: 'started', replacesSessionId: 'session-0', activeSessions: 1 },
    ],
    ['a resumption', entry(3, []), { kind: 'resumed' }],
    ...(['released', 'terminated', 'evicted', 'expired', 'replaced', 'undone'] as const).map(
      (reason, place) =>
        [`an end, ${reason}`, entry(2, [place + 2, 9]), { kind: 'ended', reason, licenseRequests: 9 }] as const,
    ),
  ])('is read from the entry of %s', (_name, bytes, expected) => {
    expect(readSlotEvent(bytes)).toEqual({ ...common, ...expected });
  });

  it.each([
    ['of a later version', entry(3, [], { 0: 2 })],
    ['of an unknown kind', entry(4, [])],
    ['of an end for an unknown reason', entry(2, [1, 0])],
    ['that is cut off', entry(2, [2, 0]).subarray(0, -1)],
    ['without its last value', entry(2, [2])],
    ['with a value too many', entry(3, [1])],
    ['with a text in place of a time', entry(3, [], { 6: 'now' })],
    ['with details that are not packed', entry(3, [], { 9: 'lesson' })],
    ['that is empty', Buffer.alloc(0)],
    ['that is no MessagePack', Buffer.from([0xc1])],
  ])('cannot be read from an entry %s', (_name, bytes) => {
    expect(() => readSlotEvent(bytes)).toThrow();
  });
});
