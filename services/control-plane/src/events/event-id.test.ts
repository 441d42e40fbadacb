import { eventId, lowestEventIdAt, timeOfEventId } from './event-id';

const time = 1_790_000_000_123_456;

test('the same fact has the same id, and another fact of the same time another', () => {
  expect(eventId(time, 'one')).toBe(eventId(time, 'one'));
  expect(eventId(time, 'one')).not.toBe(eventId(time, 'other'));
  expect(eventId(time, 'one')).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
});

test('ids are in the order of their microseconds, ends before others of the same microsecond', () => {
  const facts = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];
  const ids = Array.from({ length: 2_000 }, (_, microsecond) =>
    [true, false].flatMap((isEnd) => facts.map((fact) => eventId(time + microsecond, fact, isEnd)).sort()),
  ).flat();
  expect(ids).toEqual([...ids].sort());
});

test('an id has its time to the microsecond', () => {
  const times = Array.from({ length: 1_000 }, (_, microsecond) => time + microsecond);
  expect(times.map((at) => timeOfEventId(eventId(at, 'fact')))).toEqual(times);
  expect(timeOfEventId('5e1bfc2c-58cd-4c1b-8b4c-6a2b8f7f3a10')).toBeUndefined();
});

test('the lowest id of a millisecond is between its events and those before', () => {
  const millisecond = 1_790_000_000_124;
  const lowest = lowestEventIdAt(millisecond);
  expect(eventId(millisecond * 1000, 'fact', true) >= lowest).toBe(true);
  expect(eventId(millisecond * 1000 - 1, 'fact') < lowest).toBe(true);
});
