import type { Mutant } from '../mutant';

const source = 'services/control-plane/src';

/** Protections of what support sees and does: events, sessions and terminations. */
export const supportMutants: Mutant[] = [
  {
    name: 'suspended-organization',
    protection: 'A suspended organization changes nothing but what support may change.',
    file: `${source}/access/permissions.ts`,
    find: 'return whileSuspended.includes(permission);',
    replace: "return permission.startsWith('end-users:');",
    suite: 'ended-meanwhile.test -t updateEndUser',
  },
  {
    name: 'unaudited-termination',
    protection: 'No session is terminated without an audit event.',
    file: `${source}/features/sessions/termination-service.ts`,
    find: 'await open.recordTermination(environmentId, sessionId);',
    replace: '',
    suite: 'features/sessions/terminate.test',
  },
  {
    name: 'termination-of-several',
    protection: 'A session id that several subjects use ends none of their sessions until one is named.',
    file: `${source}/features/sessions/termination-service.ts`,
    find: 'if (active.length > 1) throw severalSubjects();',
    replace: '',
    suite: 'features/sessions/terminate.test',
  },
  {
    name: 'unsettled-events',
    protection: 'A poller misses no event that is stored later than another with a higher number.',
    file: `${source}/events/event-rows.ts`,
    find: 'await announceStoring(client);',
    replace: '',
    suite: 'features/events/events.test',
  },
  {
    name: 'cursor-of-another-environment',
    protection: 'A cursor continues only its own list.',
    file: `${source}/features/list-cursor.ts`,
    find: '=== text ? position : undefined',
    replace: "!== '' ? position : undefined",
    suite: 'features/list-cursor.test',
  },
];
