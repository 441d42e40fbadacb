import { formatCursor, positionIn } from './list-cursor';

const ownerId = '01967f3a-1c00-7a10-8b1e-3d5f7a9c1e03';
const other = '01967f3a-1c00-7a10-8b1e-3d5f7a9c1e04';
const cursor = formatCursor({ list: 'events', ownerId, position: '7 8' });

test('a cursor has its position for its own list and environment, whose id may be in upper case', () => {
  expect(positionIn(cursor, { list: 'events', ownerId })).toBe('7 8');
  expect(positionIn(cursor, { list: 'events', ownerId: ownerId.toUpperCase() })).toBe('7 8');
});

test.each([
  ['another list', cursor, { list: 'sessions', ownerId }],
  ['another environment', cursor, { list: 'events', ownerId: other }],
  ['another encoding', `${cursor}=`, { list: 'events', ownerId }],
  ['nobody', 'bm90aGluZw', { list: 'events', ownerId }],
])('a cursor of %s has none', (_whose, text, list) => {
  expect(positionIn(text, list)).toBeUndefined();
});
