import type { Database } from '../database/database';

/**
 * The forms in which texts are searched and sorted, in their order: made by the database function that generates the keys of paged lists,
 * so that every list ignores the same differences.
 */
export async function searchKeys(database: Database, texts: string[]): Promise<string[]> {
  const made = await database.$queryRaw<{ key: string }[]>`
    SELECT search_key(text) AS key FROM unnest(${texts}::text[]) WITH ORDINALITY AS given (text, place) ORDER BY place`;
  return made.map(({ key }) => key);
}

/** The prefix of search keys whose values start with `search`, escaped for `startsWith`. */
export async function searchPrefix(database: Database, search: string): Promise<string> {
  const [key] = await searchKeys(database, [search]);
  return escapeLike(key ?? '');
}

/** Escapes LIKE wildcards, because Prisma's `startsWith` does not. */
export function escapeLike(text: string): string {
  return text.replaceAll(/[\\%_]/g, '\\$&');
}
