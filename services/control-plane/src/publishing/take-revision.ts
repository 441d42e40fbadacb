import type { Transaction } from '../database/database';

/** Takes a revision. Revisions are never rolled back and never reused. */
export async function takeRevision(transaction: Transaction): Promise<bigint> {
  const [row] = await transaction.$queryRaw<{ revision: bigint }[]>`SELECT nextval('publication_revision') AS revision`;
  if (row === undefined) throw new Error('the revision sequence returned no value');
  return row.revision;
}
