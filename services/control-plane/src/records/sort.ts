/** What a list is sorted by. */
export interface Sort<Field extends string> {
  field: Field;
  /** Whether the last comes first. */
  descending: boolean;
}

/** Reads `title`, or `-title` for the last first. */
export function parseSort<Field extends string>(sort: Field | `-${Field}`): Sort<Field> {
  const descending = sort.startsWith('-');
  // Safe: the type says that what is left behind the sign is a field.
  return { field: (descending ? sort.slice(1) : sort) as Field, descending };
}

/** The order in which a sorted list is read from its start (`asc`), or from its end (`desc`). */
export function readingOrder({ descending }: Sort<string>, direction: 'asc' | 'desc'): 'asc' | 'desc' {
  return descending === (direction === 'desc') ? 'asc' : 'desc';
}
