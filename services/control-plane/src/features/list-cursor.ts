/** A place in a list of a record, such as the sessions of an environment. */
export interface ListPlace {
  /** Names the list and its order. */
  list: string;
  /** The id of the record. */
  ownerId: string;
  position: string;
}

/** The opaque cursor for callers, in base64url. */
export function formatCursor({ list, ownerId, position }: ListPlace): string {
  return Buffer.from(`${list} ${ownerId.toLowerCase()} ${position}`, 'utf8').toString('base64url');
}

/**
 * The position in a cursor of this list; undefined if the text is not a cursor of this list and record: continuing another list at
 * this place would leave out records without a word. A cursor grants no access.
 */
export function positionIn(text: string, place: Omit<ListPlace, 'position'>): string | undefined {
  const [, , ...parts] = Buffer.from(text, 'base64url').toString('utf8').split(' ');
  const position = parts.join(' ');
  // Node's decoder skips invalid characters: only the text that formatCursor returns is accepted.
  return formatCursor({ ...place, position }) === text ? position : undefined;
}
