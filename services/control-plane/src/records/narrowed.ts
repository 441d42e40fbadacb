import { parseSort } from './sort';

/** What every list that is answered whole can be searched and sorted by. */
interface Named {
  name: string;
  createdAt: string;
  updatedAt?: string;
}

type Field = 'name' | 'createdAt' | 'updatedAt';

/** What a list is narrowed to and ordered by, as its query says. */
interface Narrowing {
  search?: string;
  sort?: Field | `-${Field}`;
}

/** Narrows and orders a list that comes whole, oldest first. What is equal keeps that order, in both directions. */
export function narrowed<Item extends Named>(items: Item[], { search, sort = 'createdAt' }: Narrowing): Item[] {
  const prefix = comparableName(search ?? '');
  const found = items.filter(({ name }) => comparableName(name).startsWith(prefix));
  const { field, descending } = parseSort<Field>(sort);
  if (field === 'createdAt') return descending ? found.reverse() : found;
  const key = (item: Item) => (field === 'name' ? comparableName(item.name) : (item.updatedAt ?? ''));
  const later = descending ? -1 : 1;
  return found.sort((a, b) => (key(a) === key(b) ? 0 : key(a) < key(b) ? -later : later));
}

/** As PostgreSQL's `search_key` makes it, for lists too large to be answered whole. */
function comparableName(name: string): string {
  return name.normalize('NFKC').toLowerCase();
}
