import type { Mutant } from '../mutant';

const source = 'services/control-plane/src/events';

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
];
