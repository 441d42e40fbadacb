import { runOnDatabase } from '@multi-drm/test-kit';
import type { Stage } from '@multi-drm/test-kit/stage/stage';

/** Inserts organizations, each with a project and an environment, one of them with end users. Nothing of it is published yet. */
export async function insertTenants(stage: Stage, count: { tenants: number; endUsers: number }): Promise<void> {
  await runOnDatabase(
    stage.databaseUrl,
    `WITH organization AS (
       INSERT INTO organization (id, company_name, company_name_key, country, plan_id, administrator_name,
         administrator_email, administrator_email_key, agreement_version, agreement_accepted_at, updated_at)
       SELECT gen_random_uuid(), 'Company ' || n, 'company ' || n, 'DE', 'business', 'Ada', n || '@tenants.example.com',
         n || '@tenants.example.com', '2026-01', now(), now()
       FROM generate_series(1, $1::int) n RETURNING id
     ), project AS (
       INSERT INTO project (id, organization_id, name, updated_at)
       SELECT gen_random_uuid(), id, 'Lessons', now() FROM organization RETURNING id
     ), environment AS (
       INSERT INTO environment (id, project_id, kind, name, updated_at)
       SELECT gen_random_uuid(), id, 'development', 'Development', now() FROM project RETURNING id
     ), end_user AS (
       INSERT INTO end_user (id, project_id, subject)
       SELECT gen_random_uuid(), (SELECT min(id::text)::uuid FROM project), 'user-' || n
       FROM generate_series(1, $2::int) n RETURNING id
     )
     SELECT FROM end_user LIMIT 1`,
    [String(count.tenants), String(count.endUsers)],
  );
}
