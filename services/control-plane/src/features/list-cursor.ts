/** A place in a list of an environment. */
export interface ListPlace {
  /** Names the list and its order. */
  list: string;
  environmentId: string;
  position: string;
}

/** The opaque cursor for callers, in base64url. */
export function formatCursor({ list, environmentId, position }: ListPlace): string {
  return Buffer.from(`${list} ${environmentId.toLowerCase()} ${position}`, 'utf8').toString('base64url');
}

/**
 * The position in a cursor of this list; undefined if the text is no cursor of this list and environment: continuing another list at
 * this place would leave out records without a word. A cursor grants no access.
 */
export function positionIn(text: string, place: Omit<ListPlace, 'position'>): string | undefined {
  const [, , ...parts] = Buffer.from(text, 'base64url').toString('utf8').split(' ');
  const position = parts.join(' ');
  // Node's decoder skips invalid characters: only the text that formatCursor returns is accepted.
  return formatCursor({ ...place, position }) === text ? position : undefined;
}
