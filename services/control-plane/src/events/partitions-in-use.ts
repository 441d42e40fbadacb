import type { ClientBase } from 'pg';
import { partitionDays } from '../database/partitions';

/** The days that have partitions, remembered: they are read again when a day is missing. */
export class PartitionsInUse {
  private days: ReadonlySet<string> = new Set();

  /** Returns the days, such as `20261130`, that have a partition of events and of sessions. */
  async including(client: ClientBase, wanted: Iterable<string>): Promise<ReadonlySet<string>> {
    for (const day of wanted) if (!this.days.has(day)) return this.read(client);
    return this.days;
  }

  /** Reads them again. */
  async read(client: ClientBase): Promise<ReadonlySet<string>> {
    const sessions = await partitionDays(client, 'session');
    const events = await partitionDays(client, 'event');
    this.days = new Set([...events].filter((day) => sessions.has(day)));
    return this.days;
  }
}
