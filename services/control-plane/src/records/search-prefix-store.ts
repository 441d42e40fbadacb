import type { PrismaClient } from '../generated/prisma/client';

/**
 * What the keys of searched columns begin with where their values begin with `search`: made by the function of the
 * database that makes the keys, and escaped for `startsWith`.
 */
export async function searchPrefix(prisma: PrismaClient, search: string): Promise<string> {
  const [made] = await prisma.$queryRaw<{ key: string }[]>`SELECT search_key(${search}) AS key`;
  return escapeLike(made?.key ?? '');
}

/** Takes what LIKE would read as a wildcard for itself: Prisma's `startsWith` passes it on. */
export function escapeLike(text: string): string {
  return text.replaceAll(/[\\%_]/g, '\\$&');
}
