import type { Mutant } from '../mutant';

const source = 'services/control-plane/src/events';
const usage = 'services/control-plane/src/usage';

/** Protections of the events that the control plane stores. */
export const eventMutants: Mutant[] = [
  {
    name: 'event-trimmed-unread',
    protection: 'Entries are removed from a list only if it still begins with those that were stored.',
    file: 'packages/slots/src/events/unread-events.ts',
    find: "redis.call('LINDEX', KEYS[1], 0) ~= ARGV[1]",
    replace: 'false',
    suite: 'event-reader.test',
  },
  {
    name: 'end-stored-twice',
    protection: 'Only the first end of a session is stored.',
    file: `${source}/session-rows.ts`,
    find: ' AND session.ended_at IS NULL',
    replace: '',
    suite: 'stored-sessions.test',
  },
  {
    name: 'event-stored-again',
    protection: 'What was stored and not removed from its list is not stored again.',
    file: `${source}/bulk-rows.ts`,
    find: ' ON CONFLICT DO NOTHING ',
    replace: ' ',
    suite: 'event-reader.test',
  },
  {
    name: 'poisoned-portion',
    protection: 'An entry that the database refuses is set aside, and those beside it are stored.',
    file: `${source}/entry-store.ts`,
    find: 'if (reason === undefined) throw error;\n',
    replace: 'throw error;\n',
    suite: 'told-entries.test',
  },
  {
    name: 'endless-storing',
    protection: 'A transaction that takes longer than it may is rolled back.',
    file: 'services/control-plane/src/database/pool-transaction.ts',
    find: 'IF clock_timestamp() >',
    replace: 'IF false AND clock_timestamp() >',
    suite: 'event-reader.test',
  },
  {
    name: 'told-end-overtaken',
    protection: 'An end that is told and not read yet comes before what a look-up finds.',
    file: `${source}/open-sessions.ts`,
    find: 'if (unread > 0)',
    replace: 'if (unread < 0)',
    suite: 'open-sessions.test',
  },
  {
    name: 'lost-too-early',
    protection: 'A session is not lost while a player may take its slot again.',
    file: `${source}/open-sessions.ts`,
    find: ' || now < missingSince + lifetime',
    replace: '',
    suite: 'open-sessions.test',
  },
  {
    name: 'late-event-spoils-minute',
    protection: 'A minute of usage is what its events say, whatever was computed before.',
    file: `${usage}/recompute-minute.ts`,
    find: 'SET started = EXCLUDED.started,',
    replace: 'SET started = usage_minute.started + EXCLUDED.started,',
    suite: 'usage-roll-up.test',
  },
  {
    name: 'usage-computed-twice',
    protection:
      'One process computes usage at a time, so that none stores what it read earlier over what another one read later.',
    file: `${usage}/usage-roll-up.ts`,
    find: 'if (!rows[0]?.taken) return false;',
    replace: 'if (rows.length === 0) return false;',
    suite: 'usage-roll-up.test',
  },
  {
    name: 'late-event-spoils-hours',
    protection: 'What a late event changes of the streams is carried into all hours and days that follow.',
    file: `${usage}/usage-roll-up.ts`,
    find: 'if (changed === 0 && time > last) return;',
    replace: 'if (time > last) return;',
    suite: 'usage-properties.test',
  },
  {
    name: 'removed-minutes-composed',
    protection: 'An hour is not composed of the minutes that are left of it.',
    file: `${usage}/usage-roll-up.ts`,
    find: 'if (!isPartlyRemoved(minute, now))',
    replace: 'if (now > minute)',
    suite: 'usage-roll-up.test',
  },
  {
    name: 'group-changes-at-end',
    protection: 'A session stays in the group in which it started.',
    file: `${usage}/counted-events.ts`,
    find: "CASE event.type WHEN 'session.ended' THEN left(event.data->>'startedAt', 10)::date\n      ELSE (event.time AT TIME ZONE 'UTC')::date END AS day",
    replace: "(event.time AT TIME ZONE 'UTC')::date AS day",
    suite: 'usage-roll-up.test',
  },
];
