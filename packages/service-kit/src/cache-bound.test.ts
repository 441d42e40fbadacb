import { LRUCache } from 'lru-cache';
import { atMost } from './cache-bound';

test('a cache that is full forgets what was used least recently', () => {
  const cache = new LRUCache<string, true>(atMost(2));
  for (const key of ['a', 'b']) cache.set(key, true);
  cache.get('a');
  cache.set('c', true);
  expect([...cache.keys()].sort()).toEqual(['a', 'c']);
});
