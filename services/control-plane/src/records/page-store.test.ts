import { windowOf } from './page-store';

test.each([
  [{ limit: 50, offset: 0 }, 100, { take: 50, skip: 0, direction: 'asc' }],
  [{ limit: 50, offset: 50 }, 100, { take: 50, skip: 0, direction: 'desc' }],
  [{ limit: 50, offset: 90 }, 100, { take: 10, skip: 0, direction: 'desc' }],
  [{ limit: 10, offset: 20 }, 100, { take: 10, skip: 20, direction: 'asc' }],
  [{ limit: 10, offset: 60 }, 100, { take: 10, skip: 30, direction: 'desc' }],
  [{ limit: 10, offset: 100 }, 100, { take: 0, skip: 0, direction: 'desc' }],
  [{ limit: 10, offset: 0 }, 0, { take: 0, skip: 0, direction: 'asc' }],
])('the page %j of %i records is read as %j', (page, total, window) => {
  expect(windowOf(page, total)).toEqual(window);
});

test('every page of a list, read either way, holds the same records', () => {
  const list = Array.from({ length: 23 }, (_, index) => index);
  for (let offset = 0; offset <= 25; offset += 1) {
    const { take, skip, direction } = windowOf({ limit: 7, offset }, list.length);
    const ordered = direction === 'asc' ? list : list.toReversed();
    const read = ordered.slice(skip, skip + take);
    expect(direction === 'asc' ? read : read.reverse()).toEqual(list.slice(offset, offset + 7));
  }
});
