import { inTurns, leasesToLeave } from './lease-turns';

const lease = (id: string, organizationId: string, since = 0) => ({ id, organizationId, since });
const waiting = (id: string, organizationId: string) => ({ id, organizationId });

test('endpoints of the organizations with the fewest leases come first, those of one in their order', () => {
  const found = inTurns(
    [waiting('a1', 'a'), waiting('a2', 'a'), waiting('a3', 'a'), waiting('b1', 'b'), waiting('b2', 'b')],
    new Map([['a', 1]]),
  );
  expect(found.map(({ id }) => id)).toEqual(['b1', 'a1', 'b2', 'a2', 'a3']);
});

test('an organization leaves leases to others until all have the same number', () => {
  const held = [lease('b1', 'b'), lease('a1', 'a'), lease('a2', 'a'), lease('a3', 'a'), lease('a4', 'a')];
  const others = inTurns(
    ['c1', 'c2', 'c3'].map((id) => waiting(id, 'c')),
    new Map(),
  );
  expect(leasesToLeave(held, others, 0)).toEqual(['a1', 'a2']);
  expect(leasesToLeave(held.slice(0, -1), others, 0)).toEqual(['a1']);
});

test('an organization gets no more than others have, until these have had their turn', () => {
  const held = [lease('a1', 'a'), lease('b1', 'b', 5_000)];
  const more = [{ before: 1 }, { before: 2 }];
  expect(leasesToLeave(held, more, 59_999)).toEqual([]);
  expect(leasesToLeave(held, more, 60_000)).toEqual(['a1']);
  expect(leasesToLeave(held, more, 65_000)).toEqual(['a1', 'b1']);
});
