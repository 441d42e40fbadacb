import { Client } from 'pg';

/** Returns the connection string of another database on the same server. */
export function withDatabase(serverUrl: string, database: string): string {
  const url = new URL(serverUrl);
  url.pathname = `/${database}`;
  return url.href;
}

/** Runs one statement on a new connection. */
export async function runOnDatabase<Row extends object>(
  url: string,
  statement: string,
  values: string[] = [],
): Promise<Row[]> {
  return onConnection(url, async (client) => (await client.query<Row>(statement, values)).rows);
}

/** Opens a connection, passes it on, and closes it when the work is done: opening one costs PostgreSQL more than most statements. */
export async function onConnection<Result>(url: string, work: (client: Client) => Promise<Result>): Promise<Result> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    // The driver reads times in this style only.
    await client.query("SET TIME ZONE 'UTC'; SET DateStyle = 'ISO, MDY'");
    return await work(client);
  } finally {
    await client.end();
  }
}

/** Returns every database whose name starts with the prefix. */
export async function databaseNames(serverUrl: string, prefix: string): Promise<string[]> {
  const statement = 'SELECT datname FROM pg_database WHERE starts_with(datname, $1)';
  return (await runOnDatabase<{ datname: string }>(serverUrl, statement, [prefix])).map(({ datname }) => datname);
}

/** Drops every database whose name starts with the prefix, even if in use. */
export async function dropDatabases(serverUrl: string, prefix: string): Promise<void> {
  for (const name of await databaseNames(serverUrl, prefix)) await dropDatabase(serverUrl, name);
}

/** Drops a database if it exists, even if in use. */
export async function dropDatabase(serverUrl: string, name: string): Promise<void> {
  await runOnDatabase(serverUrl, `DROP DATABASE IF EXISTS "${name}" WITH (FORCE)`);
}

/** Whether a server accepts a connection and answers on it. */
export async function acceptsConnection(url: string): Promise<boolean> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 5_000 });
  // The connection may be closed while the server starts; connect() also rejects.
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.query('SELECT 1');
    return true;
  } catch {
    return false; // not listening yet
  } finally {
    await client.end().catch(() => undefined);
  }
}
