import { formatCursor, positionIn } from './list-cursor';

const environmentId = '01967f3a-1c00-7a10-8b1e-3d5f7a9c1e03';
const other = '01967f3a-1c00-7a10-8b1e-3d5f7a9c1e04';
const cursor = formatCursor({ list: 'events', environmentId, position: '7 8' });

test('a cursor has its position for its own list and environment, whose id may be in upper case', () => {
  expect(positionIn(cursor, { list: 'events', environmentId })).toBe('7 8');
  expect(positionIn(cursor, { list: 'events', environmentId: environmentId.toUpperCase() })).toBe('7 8');
});

test.each([
  ['another list', cursor, { list: 'sessions', environmentId }],
  ['another environment', cursor, { list: 'events', environmentId: other }],
  ['another encoding', `${cursor}=`, { list: 'events', environmentId }],
  ['nobody', 'bm90aGluZw', { list: 'events', environmentId }],
])('a cursor of %s has none', (_whose, text, list) => {
  expect(positionIn(text, list)).toBeUndefined();
});
