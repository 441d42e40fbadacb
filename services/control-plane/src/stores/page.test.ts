import { pageOf } from './page';

test.each([
  [{}, { limit: 50, offset: 0 }],
  [
    { limit: '10', offset: '20' },
    { limit: 10, offset: 20 },
  ],
  [
    { limit: 10, offset: 20 },
    { limit: 10, offset: 20 },
  ],
  [{ offset: '-0' }, { limit: 50, offset: 0 }],
])('the query %j requests the page %j', (query, page) => {
  expect(pageOf(query)).toEqual(page);
});
