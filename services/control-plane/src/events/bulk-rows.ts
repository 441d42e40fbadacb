import type { ClientBase } from 'pg';

/** A column of rows that are sent together: one array of PostgreSQL for each column. */
export interface Column<Row> {
  name: string;
  /** In PostgreSQL. */
  type: string;
  value: (row: Row) => string | number | boolean | null;
}

/** Returns rows as a table of SQL, whose parameters are numbered from 1, and the values of the parameters. */
export function rowsAs<Row>(
  name: string,
  columns: Column<Row>[],
  rows: readonly Row[],
): { table: string; values: unknown[] } {
  const parameters = columns.map(({ type }, index) => `$${index + 1}::${type}[]`);
  const names = columns.map((column) => column.name);
  return {
    table: `unnest(${parameters.join(', ')}) AS ${name}(${names.join(', ')})`,
    values: columns.map(({ value }) => rows.map(value)),
  };
}

/** Inserts rows in their order, but none whose key is there already. Returns the values of a column of those that were inserted. */
export async function insertRows<Row>(
  client: ClientBase,
  table: string,
  columns: Column<Row>[],
  rows: readonly Row[],
  returned: string,
): Promise<Set<string>> {
  if (rows.length === 0) return new Set();
  const names = columns.map(({ name }) => name).join(', ');
  const { table: source, values } = rowsAs('given', columns, rows);
  const text = `INSERT INTO ${table} (${names}) SELECT * FROM ${source} ON CONFLICT DO NOTHING RETURNING ${returned} AS value`;
  const { rows: inserted } = await client.query<{ value: string }>(text, values);
  return new Set(inserted.map(({ value }) => value));
}

// An escaped backslash is found as a whole, so that what follows it is not taken for an escape. The last one is a lone surrogate:
// `JSON.stringify` escapes no other.
const notInJsonb = /\\\\|\\u0000|\\ud[89a-f][\da-f]{2}/g;

/** Returns a value for a column of type jsonb, which holds no NUL and no lone surrogate: U+FFFD is in their place. */
export function jsonOf(value: unknown): string {
  return JSON.stringify(value).replaceAll(notInJsonb, (found) => (found === '\\\\' ? found : '\ufffd'));
}

/** Returns a time in microseconds since 1970 in ISO 8601, without its microseconds: rounded down. */
export function isoOf(microseconds: number): string {
  return new Date(Math.floor(microseconds / 1000)).toISOString();
}

/** The same with its microseconds. */
export function timestampOf(microseconds: number): string {
  const rest = String(microseconds % 1000).padStart(3, '0');
  return `${isoOf(microseconds).slice(0, -1)}${rest}Z`;
}

/** Returns the day of a time in microseconds since 1970 as names of partitions have it, such as `20261130`. */
export function dayOf(microseconds: number): string {
  return isoOf(microseconds).slice(0, 10).replaceAll('-', '');
}
