import type { Mutant } from '../mutant';

const source = 'services/control-plane/src';

/** Protections of what is answered about usage and announced about limits. */
export const usageAnswerMutants: Mutant[] = [
  {
    name: 'limit-announced-hourly',
    protection: 'The limit of streams is announced at most once an hour, also once its event is stored.',
    file: `${source}/events/stream-limit-events.ts`,
    find: 'AND NOT EXISTS (SELECT FROM event WHERE type = $2',
    replace: 'AND NOT EXISTS (SELECT FROM event_outbox WHERE type = $2',
    suite: 'stream-limit-events.test',
  },
  {
    name: 'limit-watched',
    protection: 'An organization near its limit of streams is watched without further starts.',
    file: `${source}/events/stream-limit-events.ts`,
    find: 'this.near = near;',
    replace: '',
    suite: 'stream-limit-events.test',
  },
  {
    name: 'usage-too-long',
    protection: 'An answer about usage has a limited number of intervals.',
    file: `${source}/features/usage/usage-query.ts`,
    find: 'if (intervals > most) {',
    replace: 'if (intervals > Number.MAX_SAFE_INTEGER) {',
    suite: 'usage-query.test',
  },
  {
    name: 'usage-no-longer-kept',
    protection: 'Usage of a time that is no longer kept is refused, not answered with numbers that are too low.',
    file: `${source}/features/usage/usage-query.ts`,
    find: 'if (from.getTime() < now.getTime() - milliseconds) {',
    replace: 'if (from.getTime() < 0) {',
    suite: 'usage-query.test',
  },
  {
    name: 'viewers-added-up',
    protection: 'Viewers of several intervals are not added up.',
    file: `${source}/features/usage/usage-figures.ts`,
    find: 'activeViewers: rows.length === 0 ? 0 : null,',
    replace: 'activeViewers: sumOf(rows.map(({ activeViewers }) => activeViewers ?? 0)),',
    suite: 'features/usage/usage.test',
  },
  {
    name: 'usage-uncounted',
    protection: 'An answer about usage says until when it is complete.',
    file: `${source}/features/usage/usage-service.ts`,
    find: 'return uncounted === null || stored < uncounted ? stored : uncounted;',
    replace: 'return stored;',
    suite: 'features/usage/usage.test',
  },
  {
    name: 'spreadsheet-formula',
    protection: 'A text that a caller chose is no formula in a spreadsheet.',
    file: `${source}/features/usage/csv.ts`,
    find: 'cell.replace(formula, "$1\'")',
    replace: 'cell',
    suite: 'features/usage/csv.test',
  },
];
