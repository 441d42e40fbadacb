/** The sort field and direction of a list. */
export interface Sort<Field extends string> {
  field: Field;
  /** Whether the order is descending. */
  descending: boolean;
}

/** Parses `title`, or `-title` for descending order. */
export function parseSort<Field extends string>(sort: Field | `-${Field}`): Sort<Field> {
  const descending = sort.startsWith('-');
  // Safe: by the type, what remains after the sign is a field.
  return { field: (descending ? sort.slice(1) : sort) as Field, descending };
}

/** The direction in which a sorted list is read from its start (`asc`) or its end (`desc`). */
export function readingOrder({ descending }: Sort<string>, direction: 'asc' | 'desc'): 'asc' | 'desc' {
  return descending === (direction === 'desc') ? 'asc' : 'desc';
}
