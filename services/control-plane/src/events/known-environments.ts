import type { EnvironmentDocument } from '@multi-drm/contracts';
import type { ClientBase } from 'pg';

type Kind = EnvironmentDocument['kind'];

/** How many are remembered. */
const most = 100_000;

/** The kinds of the environments that exist, remembered: none is ever deleted, and no kind ever changes. */
export class KnownEnvironments {
  private readonly known = new Map<string, Kind>();

  /** Returns the kinds of those of these ids that are the ids of environments, and of others. */
  async among(client: ClientBase, ids: Iterable<string>): Promise<ReadonlyMap<string, Kind>> {
    if (this.known.size > most) this.known.clear();
    const unknown = [...new Set(ids)].filter((id) => !this.known.has(id));
    if (unknown.length > 0) {
      const { rows } = await client.query<{ id: string; kind: Kind }>(
        'SELECT id::text, kind FROM environment WHERE id = ANY($1::uuid[])',
        [unknown],
      );
      for (const { id, kind } of rows) this.known.set(id, kind);
    }
    return this.known;
  }
}
