import type { ClientBase, Pool } from 'pg';

/** SQLSTATE `read_only_sql_transaction` (PostgreSQL, appendix A). */
const readOnlyState = '25006';

/**
 * Discards connections that accept no writes, so that writes succeed as soon as the database accepts them: such a connection may stay
 * read-only for as long as it exists, for example if it leads to a former primary. Connections that were opened while the database accepted
 * no writes serve one use. If a write is refused on one that was opened before, all that were opened before are discarded.
 */
export class ReadOnlyConnections {
  private readonly open = new Set<ClientBase>();
  private readonly readOnly = new WeakSet<ClientBase>();

  constructor(private readonly pool: Pool) {
    pool.on('connect', (client) => this.open.add(client));
    pool.on('remove', (client) => this.open.delete(client));
    pool.on('release', (error, client) => {
      this.noteError(client, error);
      if (this.readOnly.has(client)) void client.end(); // the pool drops a connection that is ending
    });
  }

  /** A connection that was opened while the database accepted no writes. */
  add(client: ClientBase): void {
    this.readOnly.add(client);
  }

  /** Notes errors of the connection's statements, also where the borrower returns it without them, as after a transaction. */
  watch(client: ClientBase): void {
    const query: (...statement: unknown[]) => unknown = client.query.bind(client);
    Object.assign(client, {
      query: (...statement: unknown[]) => {
        const answer = query(...statement);
        // The borrower gets the same rejection.
        if (answer instanceof Promise) answer.catch((error: unknown) => this.noteError(client, error));
        return answer;
      },
    });
  }

  private noteError(client: ClientBase, error: unknown): void {
    const refused = error instanceof Error && 'code' in error && error.code === readOnlyState;
    if (!refused || this.readOnly.has(client)) return;
    for (const opened of this.open) this.readOnly.add(opened);
    for (let idle = this.pool.idleCount; idle > 0; idle -= 1) void this.discardIdle();
  }

  private async discardIdle(): Promise<void> {
    // It rejects if no connection is free in time; each is discarded when it is returned.
    const client = await this.pool.connect().catch(() => undefined);
    client?.release();
  }
}
