-- CreateEnum
CREATE TYPE "record_status" AS ENUM ('active', 'archived');

-- CreateEnum
CREATE TYPE "stream_limit_action" AS ENUM ('reject', 'evict-oldest');

-- CreateEnum
CREATE TYPE "end_user_status" AS ENUM ('active', 'blocked', 'archived');

-- CreateEnum
CREATE TYPE "actor_kind" AS ENUM ('operator', 'management-key', 'oidc', 'anonymous');

-- AlterEnum
ALTER TYPE "content_status" ADD VALUE 'archived';

-- AlterEnum
-- This migration adds more than one value to an enum.
-- With PostgreSQL versions 11 and earlier, this is not possible
-- in a single migration. This can be worked around by creating
-- multiple migrations, each migration adding only one value to
-- the enum.


ALTER TYPE "document_kind" ADD VALUE 'licenseProfile';
ALTER TYPE "document_kind" ADD VALUE 'endUser';

-- AlterEnum
ALTER TYPE "environment_status" ADD VALUE 'archived';

-- AlterEnum
-- This migration adds more than one value to an enum.
-- With PostgreSQL versions 11 and earlier, this is not possible
-- in a single migration. This can be worked around by creating
-- multiple migrations, each migration adding only one value to
-- the enum.


ALTER TYPE "organization_status" ADD VALUE 'pending';
ALTER TYPE "organization_status" ADD VALUE 'archived';

-- AlterEnum
ALTER TYPE "project_status" ADD VALUE 'archived';

-- AlterTable
ALTER TABLE "api_client" ADD COLUMN     "previous_access_key_hash" TEXT,
ADD COLUMN     "previous_access_key_until" TIMESTAMPTZ(3),
ADD COLUMN     "revoked_at" TIMESTAMPTZ(3);

-- AlterTable
ALTER TABLE "content_asset" ADD COLUMN     "license_profile_id" UUID,
ADD COLUMN     "version" INTEGER NOT NULL DEFAULT 1;

-- AlterTable
ALTER TABLE "environment" ADD COLUMN     "allowed_origins" TEXT[] DEFAULT ARRAY['*']::TEXT[],
ADD COLUMN     "heartbeat_seconds" INTEGER,
ADD COLUMN     "license_token_lifetime_seconds" INTEGER,
ADD COLUMN     "maximum_session_seconds" INTEGER NOT NULL DEFAULT 86400,
ADD COLUMN     "track_type_heights" JSONB NOT NULL DEFAULT '{"SD": 576, "HD": 1080, "UHD1": 2160, "UHD2": 4320}';

-- AlterTable
ALTER TABLE "environment_drm_system" ADD COLUMN     "backend_secrets" JSONB,
ADD COLUMN     "backend_settings" JSONB,
ADD COLUMN     "certificate" TEXT,
ADD COLUMN     "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
ADD COLUMN     "version" INTEGER NOT NULL DEFAULT 1;

-- AlterTable
ALTER TABLE "organization" ADD COLUMN     "version" INTEGER NOT NULL DEFAULT 1;

-- AlterTable
ALTER TABLE "outbox_entry" ADD COLUMN     "bulk" BOOLEAN NOT NULL DEFAULT false;

-- AlterTable
ALTER TABLE "project" ADD COLUMN     "version" INTEGER NOT NULL DEFAULT 1;

-- AlterTable
ALTER TABLE "published_document" ADD COLUMN     "keys" TEXT[] DEFAULT ARRAY[]::TEXT[];

-- CreateTable
CREATE TABLE "rights" (
    "id" UUID NOT NULL,
    "project_id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "description" TEXT,
    "maximum_concurrent_streams" INTEGER,
    "at_stream_limit" "stream_limit_action" NOT NULL DEFAULT 'reject',
    "license_duration_seconds" INTEGER,
    "playback_duration_seconds" INTEGER,
    "available_from" TIMESTAMPTZ(3),
    "available_until" TIMESTAMPTZ(3),
    "allowed_client_platforms" TEXT[],
    "status" "record_status" NOT NULL DEFAULT 'active',
    "version" INTEGER NOT NULL DEFAULT 1,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "rights_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "license_profile" (
    "id" UUID NOT NULL,
    "project_id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "description" TEXT,
    "rights_id" UUID,
    "maximum_height" INTEGER NOT NULL,
    "tracks" JSONB NOT NULL,
    "status" "record_status" NOT NULL DEFAULT 'active',
    "version" INTEGER NOT NULL DEFAULT 1,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "license_profile_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "end_user" (
    "id" UUID NOT NULL,
    "project_id" UUID NOT NULL,
    "subject" TEXT,
    "display_name" TEXT,
    "email" TEXT,
    "status" "end_user_status" NOT NULL DEFAULT 'active',
    "maximum_concurrent_streams" INTEGER,
    "attributes" JSONB NOT NULL DEFAULT '{}',
    "version" INTEGER NOT NULL DEFAULT 1,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "synchronized_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "end_user_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "audit_event" (
    "id" UUID NOT NULL,
    "organization_id" UUID,
    "occurred_at" TIMESTAMPTZ(3) NOT NULL,
    "actor_kind" "actor_kind" NOT NULL,
    "actor_id" TEXT,
    "actor_name" TEXT,
    "action" TEXT NOT NULL,
    "record_type" TEXT,
    "record_id" TEXT,
    "request_id" TEXT NOT NULL,
    "address" TEXT,
    "details" JSONB NOT NULL DEFAULT '{}',

    CONSTRAINT "audit_event_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "idempotent_create" (
    "caller" TEXT NOT NULL,
    "route" TEXT NOT NULL,
    "key" TEXT NOT NULL,
    "request_hash" TEXT NOT NULL,
    "record_id" UUID NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "idempotent_create_pkey" PRIMARY KEY ("caller","route","key")
);

-- CreateIndex
CREATE INDEX "rights_project_id_created_at_id_idx" ON "rights"("project_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "license_profile_project_id_created_at_id_idx" ON "license_profile"("project_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "license_profile_rights_id_idx" ON "license_profile"("rights_id");

-- CreateIndex
CREATE UNIQUE INDEX "license_profile_project_id_name_key" ON "license_profile"("project_id", "name");

-- CreateIndex
CREATE INDEX "end_user_project_id_created_at_id_idx" ON "end_user"("project_id", "created_at", "id");

-- CreateIndex
CREATE UNIQUE INDEX "end_user_project_id_subject_key" ON "end_user"("project_id", "subject");

-- CreateIndex
CREATE INDEX "audit_event_organization_id_occurred_at_id_idx" ON "audit_event"("organization_id", "occurred_at", "id");

-- CreateIndex
CREATE INDEX "idempotent_create_created_at_idx" ON "idempotent_create"("created_at");

-- CreateIndex
CREATE INDEX "outbox_entry_bulk_document_kind_document_id_idx" ON "outbox_entry"("bulk", "document_kind", "document_id");

-- CreateIndex
CREATE INDEX "published_document_revision_idx" ON "published_document"("revision");

-- CreateIndex
CREATE INDEX "content_asset_license_profile_id_idx" ON "content_asset"("license_profile_id");

-- AddForeignKey
ALTER TABLE "content_asset" ADD CONSTRAINT "content_asset_license_profile_id_fkey" FOREIGN KEY ("license_profile_id") REFERENCES "license_profile"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "rights" ADD CONSTRAINT "rights_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "project"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "license_profile" ADD CONSTRAINT "license_profile_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "project"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "license_profile" ADD CONSTRAINT "license_profile_rights_id_fkey" FOREIGN KEY ("rights_id") REFERENCES "rights"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "end_user" ADD CONSTRAINT "end_user_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "project"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "audit_event" ADD CONSTRAINT "audit_event_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organization"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- Audit events are only ever added. By hand: the Prisma schema has no triggers.
CREATE FUNCTION "refuse_audit_event_change"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'audit events are only ever added';
END
$$;

CREATE TRIGGER "audit_event_append_only" BEFORE UPDATE OR DELETE OR TRUNCATE ON "audit_event"
    FOR EACH STATEMENT EXECUTE FUNCTION "refuse_audit_event_change"();
