-- AlterTable
ALTER TABLE "management_key" ADD COLUMN     "replaced_at" TIMESTAMPTZ(3);

-- Keys that were rotated before there was the mark. By hand: the audit trail knows them.
UPDATE "management_key" SET "replaced_at" = "rotation"."occurred_at"
FROM "audit_event" AS "rotation"
WHERE "rotation"."organization_id" = "management_key"."organization_id"
  AND "rotation"."action" = 'managementKey.rotate'
  AND "rotation"."record_id" = "management_key"."id"::text;
