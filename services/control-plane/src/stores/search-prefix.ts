import type { Database } from '../database/database';

/**
 * The prefix of search keys whose values start with `search`: computed by the database function that generates the
 * keys, and escaped for `startsWith`.
 */
export async function searchPrefix(prisma: Database, search: string): Promise<string> {
  const [made] = await prisma.$queryRaw<{ key: string }[]>`SELECT search_key(${search}) AS key`;
  return escapeLike(made?.key ?? '');
}

/** Escapes LIKE wildcards, because Prisma's `startsWith` does not. */
export function escapeLike(text: string): string {
  return text.replaceAll(/[\\%_]/g, '\\$&');
}
