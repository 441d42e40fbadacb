import type { Database } from '../database/database';
import { searchKeys } from '../stores/search-key';
import { parseSort } from '../stores/sort';

/** The fields by which every unpaged list can be searched and sorted. */
interface Named {
  name: string;
  createdAt: string;
  updatedAt?: string;
}

type Field = 'name' | 'createdAt' | 'updatedAt';

/** The filters and order of a list, from its query. */
interface ListQuery {
  search?: string;
  sort?: Field | `-${Field}`;
}

/**
 * Filters and sorts an unpaged list that is given oldest first. Equal elements keep that order in both directions. Names are compared as in
 * paged lists, by their search keys.
 */
export async function filterAndSort<Item extends Named>(
  database: Database,
  items: Item[],
  { search, sort = 'createdAt' }: ListQuery,
): Promise<Item[]> {
  const { field, descending } = parseSort<Field>(sort);
  const byName = search !== undefined || field === 'name';
  const [prefix = '', ...names] = byName
    ? await searchKeys(database, [search ?? '', ...items.map(({ name }) => name)])
    : [];
  const nameKeys = new Map(items.map((item, index) => [item, names[index] ?? '']));
  const found = items.filter((item) => nameKeys.get(item)?.startsWith(prefix));
  if (field === 'createdAt') return descending ? found.reverse() : found;
  const key = (item: Item) => (field === 'name' ? nameKeys.get(item) : item.updatedAt) ?? '';
  const later = descending ? -1 : 1;
  return found.sort((a, b) => (key(a) === key(b) ? 0 : key(a) < key(b) ? -later : later));
}
