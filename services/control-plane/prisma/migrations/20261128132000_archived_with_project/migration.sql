-- AlterTable
ALTER TABLE "environment" ADD COLUMN     "archived_with_project" BOOLEAN NOT NULL DEFAULT false;

-- Environments that were archived with their project before there was the mark. By hand: both carry the same time.
UPDATE "environment" SET "archived_with_project" = true
FROM "project"
WHERE "project"."id" = "environment"."project_id"
  AND "project"."status" = 'archived' AND "environment"."status" = 'archived'
  AND "environment"."updated_at" = "project"."updated_at";

-- A default that was archived meanwhile would keep such a project from coming back.
UPDATE "environment" SET "default_license_policy_template" = NULL
FROM "license_profile"
WHERE "environment"."archived_with_project"
  AND "license_profile"."project_id" = "environment"."project_id"
  AND "license_profile"."name" = "environment"."default_license_policy_template"
  AND "license_profile"."status" = 'archived';
