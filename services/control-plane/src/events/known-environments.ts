import type { ClientBase } from 'pg';

/** How many are remembered. */
const most = 100_000;

/** The environments that exist, remembered: none is ever deleted. */
export class KnownEnvironments {
  private readonly known = new Set<string>();

  /** Returns a set that has those of these ids that are the ids of environments, and others. */
  async among(client: ClientBase, ids: Iterable<string>): Promise<ReadonlySet<string>> {
    if (this.known.size > most) this.known.clear();
    const unknown = [...new Set(ids)].filter((id) => !this.known.has(id));
    if (unknown.length > 0) {
      const { rows } = await client.query<{ id: string }>(
        'SELECT id::text FROM environment WHERE id = ANY($1::uuid[])',
        [unknown],
      );
      for (const { id } of rows) this.known.add(id);
    }
    return this.known;
  }
}
