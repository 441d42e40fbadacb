import type { ClientBase } from 'pg';
import { partitionDays, partitionedTables } from '../database/partitions';

/** The days that have partitions, remembered: they are read again when a day is missing. */
export class PartitionsInUse {
  private days: ReadonlySet<string> = new Set();

  /** Returns the days, such as `20261130`, that have a partition of each table: of events, their deliveries, and sessions. */
  async including(client: ClientBase, wanted: Iterable<string>): Promise<ReadonlySet<string>> {
    for (const day of wanted) if (!this.days.has(day)) return this.read(client);
    return this.days;
  }

  /** Reads them again. */
  async read(client: ClientBase): Promise<ReadonlySet<string>> {
    const tables: Set<string>[] = [];
    for (const table of partitionedTables) tables.push(await partitionDays(client, table));
    const [first = new Set<string>(), ...others] = tables;
    this.days = new Set([...first].filter((day) => others.every((days) => days.has(day))));
    return this.days;
  }
}
