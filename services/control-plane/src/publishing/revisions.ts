import type { Database, Transaction } from '../database/database';

/** The state of the sequence `publication_revision`, of which revisions and marks are taken. */
interface TakenRevisions {
  /** The highest mark of a committed publication. */
  committed: bigint;
  /** The last value that anything has taken, committed or not. */
  last: bigint;
}

/** Takes a revision. Revisions are never rolled back and never reused. */
export async function takeRevision(transaction: Database | Transaction): Promise<bigint> {
  const [row] = await transaction.$queryRaw<{ revision: bigint }[]>`SELECT nextval('publication_revision') AS revision`;
  if (row === undefined) throw new Error('the revision sequence returned no value');
  return row.revision;
}

/** Takes a mark, and reads the highest one of a committed publication. */
export async function takeMark(transaction: Database | Transaction): Promise<{ mark: bigint; committed: bigint }> {
  const [row] = await transaction.$queryRaw<{ mark: bigint; committed: bigint }[]>`
    SELECT nextval('publication_revision') AS mark, coalesce(max(mark), 0) AS committed FROM published_document`;
  if (row === undefined) throw new Error('the revision sequence returned no value');
  return row;
}

export async function readTakenRevisions(database: Database): Promise<TakenRevisions> {
  const [row] = await database.$queryRaw<TakenRevisions[]>`
    SELECT coalesce((SELECT max(mark) FROM published_document), 0) AS committed, last_value AS last
    FROM publication_revision`;
  if (row === undefined) throw new Error('the revision sequence returned no value');
  return row;
}

/**
 * Moves the sequence past a value that Redis has, if that was not taken from it: PostgreSQL was restored from a backup or lost its latest
 * writes. Otherwise it does not touch the sequence: reading and setting it are two steps, and would undo what others take in between.
 */
export async function moveRevisionsPast(transaction: Database | Transaction, present: bigint): Promise<void> {
  await transaction.$executeRaw`
    SELECT setval('publication_revision', ${present}) FROM publication_revision WHERE last_value < ${present}`;
}
