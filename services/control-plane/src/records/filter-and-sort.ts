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

/** Filters and sorts an unpaged list that is given oldest first. Equal elements keep that order in both directions. */
export function filterAndSort<Item extends Named>(items: Item[], { search, sort = 'createdAt' }: ListQuery): Item[] {
  const prefix = comparableName(search ?? '');
  const found = items.filter(({ name }) => comparableName(name).startsWith(prefix));
  const { field, descending } = parseSort<Field>(sort);
  if (field === 'createdAt') return descending ? found.reverse() : found;
  const key = (item: Item) => (field === 'name' ? comparableName(item.name) : (item.updatedAt ?? ''));
  const later = descending ? -1 : 1;
  return found.sort((a, b) => (key(a) === key(b) ? 0 : key(a) < key(b) ? -later : later));
}

/** The same normalization as PostgreSQL's `search_key`, which serves paged lists. */
function comparableName(name: string): string {
  return name.normalize('NFKC').toLowerCase();
}
