import { randomBytes, randomUUID } from 'node:crypto';
import { newKey } from '../access/credentials';
import type { Database } from '../database/database';

/** An organization with its owner key, a project and its two environments. */
export interface TestTenant {
  organizationId: string;
  key: string;
  projectId: string;
  development: string;
  production: string;
}

/** The rows of a tenant that has just registered, by table, as JSON. */
interface NewTenant {
  tenant: TestTenant;
  rows: string;
  /** When it registered. */
  time: Date;
}

/** The tables with rows of a new tenant, and which rows these are: `$1` is the organization, `$2` the project. */
const tables = {
  organization: 'id = $1',
  management_key: 'organization_id = $1',
  project: 'id = $2',
  environment: 'project_id = $2',
  environment_drm_system: 'environment_id IN (SELECT id FROM environment WHERE project_id = $2)',
  audit_event: 'organization_id = $1',
  outbox_entry: 'document_id = $1 OR document_id IN (SELECT id FROM environment WHERE project_id = $2)',
};

const readRows = Object.entries(tables)
  .map(([table, rows]) => `'${table}', (SELECT jsonb_agg(t) FROM ${table} t WHERE ${rows})`)
  .join(', ');

const insertRows = Object.keys(tables)
  .map((table) => {
    // A sequence numbers the entries.
    const columns = table === 'outbox_entry' ? '(document_kind, document_id, bulk, created_at)' : '';
    const values = table === 'outbox_entry' ? 't.document_kind, t.document_id, t.bulk, t.created_at' : 't.*';
    return `of_${table} AS (
      INSERT INTO ${table} ${columns}
      SELECT ${values} FROM given, jsonb_populate_recordset(NULL::${table}, given.rows -> '${table}') t
    )`;
  })
  .join(', ');

/** Reads a tenant that nobody has used or changed since it registered. */
export async function readNewTenant(database: Database, tenant: TestTenant, time: Date): Promise<NewTenant> {
  const [found] = await database.$queryRawUnsafe<{ rows: string }[]>(
    `SELECT jsonb_build_object(${readRows})::text AS rows FROM (SELECT $1::uuid, $2::uuid) AS given`,
    tenant.organizationId,
    tenant.projectId,
  );
  if (found === undefined) throw new Error('the rows of the new tenant were not read');
  return { tenant, rows: found.rows, time };
}

/** Inserts a copy of a new tenant in one statement, as if it registered now: with ids, names and an owner key of its own. */
export async function copyTenant(
  database: Database,
  { tenant, rows, time }: NewTenant,
  now: Date,
): Promise<TestTenant> {
  const { key, prefix, hash } = newKey('mk', randomBytes);
  const ids = newIds(rows);
  const [owner] = (JSON.parse(rows) as { management_key: [{ prefix: string; hash: string }] }).management_key;
  const copied = rows
    .replaceAll(uuid, (id) => ids.get(id) ?? id)
    .replaceAll(owner.hash, hash)
    .replaceAll(owner.prefix, prefix)
    .replaceAll(time.toISOString(), now.toISOString())
    .replaceAll(inPostgres(time), inPostgres(now));
  await database.$executeRawUnsafe(
    `WITH given AS (SELECT $1::text::jsonb AS rows), ${insertRows} SELECT FROM given`,
    copied,
  );
  const copyOf = (id: string) => ids.get(id) ?? id;
  return {
    organizationId: copyOf(tenant.organizationId),
    key,
    projectId: copyOf(tenant.projectId),
    development: copyOf(tenant.development),
    production: copyOf(tenant.production),
  };
}

const uuid = /\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g;

/** A new id for each id: UUIDs of version 7, in the same order. */
function newIds(rows: string): Map<string, string> {
  const milliseconds = Date.now().toString(16).padStart(12, '0');
  const former = [...new Set(rows.match(uuid))].sort();
  return new Map(
    former.map((id, nth) => {
      const order = nth.toString(16).padStart(3, '0');
      return [id, `${milliseconds.slice(0, 8)}-${milliseconds.slice(8)}-7${order}-${randomUUID().slice(19)}`];
    }),
  );
}

/** A time as PostgreSQL writes it in JSON. */
const inPostgres = (time: Date): string => time.toISOString().replace(/\.?0*Z$/, '+00:00');
