import type { Mutant } from '../mutant';

const source = 'packages/slots/src';

/** Protections of the slots. */
export const slotMutants: Mutant[] = [
  {
    name: 'stream-limit',
    protection: 'A viewer holds no more streams than its limit.',
    file: `${source}/scripts/reserve.lua`,
    find: '  if taken >= most then',
    replace: '  if taken > most then',
    suite: 'slots/src/reserve.test',
  },
  {
    name: 'organization-limit',
    protection: "An organization holds no more streams than its plan's.",
    file: `${source}/scripts/reserve.lua`,
    find: 'if organizationIsFull and',
    replace: 'if organizationIsFull == 1 and',
    suite: 'organization-limit.test',
  },
  {
    name: 'stream-limit-anew',
    protection: 'A viewer holds no more streams than its limit after lost sessions have come back.',
    file: `${source}/scripts/reserve-anew.lua`,
    find: 'if active >= most then',
    replace: 'if active > most then',
    suite: 'slots/src/reserve-anew.test',
  },
  {
    name: 'ended-stays-ended',
    protection: 'A session that has ended does not come back as a lost one.',
    file: `${source}/scripts/reserve-anew.lua`,
    find: 'or readEnded(scores[1]) or',
    replace: 'or',
    suite: 'slots/src/reserve-anew.test',
  },
  {
    name: 'viewer-blocked',
    protection: 'A blocked end user starts no session, whatever was decided before its block.',
    file: `${source}/scripts/reserve.lua`,
    find: "if viewer.status == 'blocked' then",
    replace: "if viewer.status == 'barred' then",
    suite: 'slots/src/viewer.test',
  },
  {
    name: 'undo-note',
    protection: 'A reservation that comes after it was undone takes no slot.',
    file: `${source}/scripts/reserve.lua`,
    find: 'if readEnded(scores[2]) then',
    replace: 'if readEnded(false) then',
    suite: 'slots/src/undo.test',
  },
  {
    name: 'repeat-hash',
    protection: 'A session id is not given to another request.',
    file: `${source}/scripts/reserve.lua`,
    find: 'record.requestHash ~= requestHash',
    replace: "record.requestHash == ''",
    suite: 'reserve-again.test',
  },
  {
    name: 'eviction-goes-on',
    protection: 'A reservation that evicts very many sessions goes on until it is made.',
    file: `${source}/redis-slot-store.ts`,
    find: "if (result.outcome !== 'unfinished') return result;",
    replace: 'return result as ReserveResult;',
    suite: 'evict-oldest.test',
  },
  {
    name: 'release-remembered',
    protection: 'A session that was lost and then terminated does not come back for as long as it could last.',
    file: `${source}/redis-slot-store.ts`,
    find: 'sessionId, time, longestSessionMilliseconds)',
    replace: 'sessionId, time, undoneSpanMilliseconds)',
    suite: 'slots/src/remember.test sessions/lost-session.test',
  },
  {
    name: 'viewer-maximum',
    protection: 'A viewer has at most a hundred sessions, whatever its limit.',
    file: `${source}/scripts/reserve.lua`,
    find: 'local most = limit or mostSessions',
    replace: 'local most = limit or 1000',
    suite: 'slots/src/reserve.test',
  },
  {
    name: 'start-in-the-future',
    protection: 'A session that starts in the future, because the clock of Redis was set back, counts as started now.',
    file: `${source}/scripts/parts/record.lua`,
    find: 'if record.startedAt > nowMicroseconds then',
    replace: 'if false then',
    suite: 'slots/src/clock-set-back.test',
  },
  {
    name: 'event-of-an-end',
    protection: 'No session ends untold.',
    file: `${source}/scripts/parts/slots.lua`,
    find: '  if #events > 0 then',
    replace: '  if false then',
    suite: 'slots/src/model.test slots/src/told-events.test',
  },
  {
    name: 'event-of-a-repeat',
    protection: 'A repeated create is not told as a start.',
    file: `${source}/scripts/reserve.lua`,
    find: '  record.repeated = true\n',
    replace: `  record.repeated = true
  appendEvents(keys, {
    packEvent(eventKinds.started, environmentId, subject, sessionId, record, nowMicroseconds, '', 1)
  })
`,
    suite: 'slots/src/model.test slots/src/told-events.test',
  },
  {
    name: 'event-of-an-expiry',
    protection: 'An expired session is told to have ended at its expiresAt.',
    file: `${source}/scripts/parts/slots.lua`,
    find: "reason == 'expired' and record.expiresAt * 1000 or nowMicroseconds",
    replace: 'nowMicroseconds',
    suite: 'slots/src/told-events.test',
  },
  {
    name: 'event-bound',
    protection: 'Events that nobody reads take no more memory than they may.',
    file: `${source}/scripts/parts/events.lua`,
    find: 'if length * largestEvent > keys.eventBytes then',
    replace: 'if false then',
    suite: 'event-bound.test',
  },
  {
    name: 'event-bound-of-all',
    protection: 'All lists of events together take no more memory than they may.',
    file: `${source}/events/event-buffer.ts`,
    find: 'this.isAboveBound ? partAboveBound : partBelowBound',
    replace: 'partBelowBound',
    suite: 'sweeper.test',
  },
];
