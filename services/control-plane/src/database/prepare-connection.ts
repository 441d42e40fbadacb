import type { ClientBase, QueryResult } from 'pg';

/** The lowest major version of PostgreSQL: the oldest one that its project maintains. */
const lowestVersion = 15;

/** The database answers, and the control plane cannot use it until its operator changes it. */
export class UnusableDatabase extends Error {
  override readonly name = 'UnusableDatabase';
}

/** What a connection says about itself. */
export interface ConnectionState {
  /** The schema of the tables. */
  schema: string;
  /** Whether it accepts no writes: on a standby, and where writes are disabled, as some systems do when their disk is full. */
  readOnly: boolean;
}

interface Answer extends Omit<ConnectionState, 'schema'> {
  encoding: string;
  /** Such as 180004 for 18.4. */
  version: number;
  schema: string | null;
}

/**
 * Prepares a new connection, in one round trip: Prisma's adapter reads and writes times as UTC in ISO style, whatever the server, the
 * database or the role is set to. Poolers keep both settings per client, but may reject them as startup options. Rejects with an
 * `UnusableDatabase` if the encoding is not UTF8, the version is too old or the schema does not exist.
 *
 * @param schema that of the tables; undefined: the first of the connection's `search_path` that exists
 */
export async function prepareConnection(client: ClientBase, schema: string | undefined): Promise<ConnectionState> {
  const named =
    schema === undefined
      ? 'current_schema()::text'
      : `(SELECT nspname::text FROM pg_namespace WHERE nspname = ${client.escapeLiteral(schema)})`;
  // Several statements have several results, which the types of the driver do not know.
  const results: unknown = await client.query(`
    SET TIME ZONE 'UTC'; SET DateStyle = 'ISO, MDY';
    SELECT current_setting('server_encoding') AS encoding, current_setting('server_version_num')::int AS version,
      ${named} AS schema, current_setting('transaction_read_only')::bool AS "readOnly"`);
  const [answer] = (results as [QueryResult, QueryResult, QueryResult<Answer>])[2].rows;
  if (answer === undefined) throw new Error('the database does not say how it is set up');
  return { schema: schemaOf(answer, schema), readOnly: answer.readOnly };
}

function schemaOf({ encoding, version, schema }: Answer, wanted: string | undefined): string {
  if (encoding !== 'UTF8') {
    throw new UnusableDatabase(
      `the encoding of the database is ${encoding} and must be UTF8: create it with ENCODING 'UTF8' TEMPLATE template0`,
    );
  }
  const major = Math.floor(version / 10_000);
  if (major < lowestVersion) {
    throw new UnusableDatabase(`the version of PostgreSQL is ${major} and must be ${lowestVersion} or newer`);
  }
  if (schema !== null) return schema;
  throw new UnusableDatabase(
    wanted === undefined
      ? 'no schema of the search_path exists: create one, or name one in the URL (?schema=)'
      : `the schema "${wanted}" does not exist: create it`,
  );
}
