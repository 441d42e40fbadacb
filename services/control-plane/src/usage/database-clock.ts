import type { ClientBase } from 'pg';

/** Reads the time. */
export type Clock = (client: ClientBase) => Promise<Date>;

/** The clock of PostgreSQL: one for all control planes. By one that is set wrong, usage would be removed, or streams carried on for years. */
export const databaseClock: Clock = async (client) => {
  const { rows } = await client.query<{ now: Date }>('SELECT clock_timestamp() AS now');
  const [row] = rows;
  if (row === undefined) throw new Error('PostgreSQL returned no time');
  return row.now;
};
