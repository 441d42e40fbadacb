import { Problem } from '@multi-drm/contracts';
import { usageQueryOf } from './usage-query';

const now = new Date('2026-03-01T10:20:30.500Z');
const queryOf = (query: Parameters<typeof usageQueryOf>[0]) => {
  const { from, to, ...rest } = usageQueryOf(query, now, false);
  return { from: from.toISOString(), to: to.toISOString(), ...rest };
};

function errorsOf(query: Parameters<typeof usageQueryOf>[0], asTable = false): unknown {
  try {
    usageQueryOf(query, now, asTable);
  } catch (error) {
    if (error instanceof Problem) return error.members.errors;
    throw error;
  }
  return undefined;
}

test.each([
  ['minute', '2026-03-01T09:20:00.000Z', '2026-03-01T10:00:00.000Z'],
  ['hour', '2026-03-01T09:00:00.000Z', '2026-03-01T10:00:00.000Z'],
  ['day', '2026-03-01T00:00:00.000Z', '2026-03-02T00:00:00.000Z'],
  ['month', '2026-03-01T00:00:00.000Z', '2026-04-01T00:00:00.000Z'],
] as const)('from is rounded down and to is rounded up to the %s, unless it is one', (interval, from, to) => {
  const query = { from: '2026-03-01T09:20:59.999Z', to: '2026-03-01T10:00:00Z', interval };
  expect(queryOf(query)).toMatchObject({ from, to });
});

test('without to and interval, the days until now are meant', () => {
  expect(queryOf({ from: '2026-02-27T12:00:00Z' })).toEqual({
    from: '2026-02-27T00:00:00.000Z',
    to: '2026-03-02T00:00:00.000Z',
    interval: 'day',
    intervals: 3,
    groupBy: null,
  });
});

test('an offset is understood, and days begin in UTC, also when clocks are set forward', () => {
  const query = { from: '2025-03-30T01:59:00+01:00', to: '2025-03-31T01:30:00+02:00', interval: 'hour' } as const;
  expect(queryOf(query)).toMatchObject({
    from: '2025-03-30T00:00:00.000Z',
    to: '2025-03-31T00:00:00.000Z',
    intervals: 24,
  });
});

test('a leap year has a month of 29 days, and a year 12 months', () => {
  expect(queryOf({ from: '2025-03-01T00:00:00Z', to: '2026-02-28T00:00:00Z', interval: 'month' })).toMatchObject({
    to: '2026-03-01T00:00:00.000Z',
    intervals: 12,
  });
});

test('from after to, or the same, is refused', () => {
  const to = '2026-02-01T00:00:00Z';
  expect(errorsOf({ from: '2026-02-01T00:00:01Z', to })).toEqual({ to: ['must be after from'] });
  expect(errorsOf({ from: to, to })).toEqual({ to: ['must be after from'] });
  expect(errorsOf({ from: '2026-03-02T00:00:00Z' })).toEqual({ from: ['must be in the past, unless to is sent'] });
});

test('minutes of a year, which are too many, are refused with what to do; 1,500 are not', () => {
  const year = { from: '2026-01-30T00:00:00Z', to: '2027-01-30T00:00:00Z', interval: 'minute' } as const;
  expect(errorsOf(year)).toEqual({
    to: ['is 525600 minutes after from, at most 1500 are returned: choose a longer interval'],
  });
  const from = '2026-02-28T00:00:00Z';
  expect(errorsOf({ from, to: '2026-03-01T01:00:00Z', interval: 'minute' })).toBeUndefined();
  expect(errorsOf({ from, to: '2026-03-01T01:00:01Z', interval: 'minute' })).toHaveProperty('to');
});

test.each([
  ['minute', undefined, '2026-01-25T10:21:00Z', '2026-01-25T10:20:00Z', '35 days'],
  ['minute', 'contentId', '2026-02-27T10:21:00Z', '2026-02-27T10:20:00Z', '48 hours'],
  ['hour', 'contentId', '2025-01-25T11:00:00Z', '2025-01-25T10:00:00Z', '400 days'],
  ['month', undefined, '2025-02-01T00:00:00Z', '2025-01-31T00:00:00Z', '400 days'],
] as const)(
  'numbers by %s (%s) that are no longer kept are refused, because they would be too low',
  (interval, groupBy, kept, gone, text) => {
    const to = new Date(Date.parse(kept) + 3_600_000).toISOString();
    const query = { to, interval, ...(groupBy === undefined ? {} : { groupBy }) };
    expect(errorsOf({ ...query, from: kept })).toBeUndefined();
    expect(errorsOf({ ...query, from: gone })).toEqual({
      from: [`rounded down to the ${interval}, must be at most ${text} ago: earlier numbers are no longer complete`],
    });
  },
);

test('an answer in JSON has at most 62 intervals of its groups; a table may have more', () => {
  const query = { from: '2025-12-29T00:00:00Z', to: '2026-03-01T00:00:00Z', groupBy: 'contentId' } as const;
  expect(errorsOf(query)).toBeUndefined();
  const more = { ...query, from: '2025-12-28T00:00:00Z' };
  expect(errorsOf(more)).toEqual({ to: [expect.stringContaining('is 63 days after from, at most 62')] });
  expect(errorsOf(more, true)).toBeUndefined();
});
