-- By hand: what lists are searched and sorted by. In Unicode form NFKC and lower case, cut so that it fits an index, and
-- compared by its bytes (C), so that an index finds a prefix.
CREATE FUNCTION "search_key"("value" TEXT) RETURNS TEXT
  LANGUAGE SQL IMMUTABLE PARALLEL SAFE
  AS $$ SELECT left(lower(normalize("value", NFKC)), 256) $$;

-- CreateEnum
CREATE TYPE "organization_status" AS ENUM ('active', 'suspended', 'pending', 'archived');

-- CreateEnum
CREATE TYPE "management_role" AS ENUM ('owner', 'admin', 'editor', 'viewer');

-- CreateEnum
CREATE TYPE "project_status" AS ENUM ('active', 'archived');

-- CreateEnum
CREATE TYPE "environment_kind" AS ENUM ('development', 'staging', 'production');

-- CreateEnum
CREATE TYPE "environment_status" AS ENUM ('active', 'archived');

-- CreateEnum
CREATE TYPE "drm_system" AS ENUM ('widevine', 'playready', 'fairplay', 'wiseplay');

-- CreateEnum
CREATE TYPE "content_kind" AS ENUM ('vod', 'live', 'audio', 'document');

-- CreateEnum
CREATE TYPE "content_status" AS ENUM ('draft', 'published', 'archived');

-- CreateEnum
CREATE TYPE "record_status" AS ENUM ('active', 'archived');

-- CreateEnum
CREATE TYPE "stream_limit_action" AS ENUM ('reject', 'evict-oldest');

-- CreateEnum
CREATE TYPE "end_user_status" AS ENUM ('active', 'blocked', 'archived');

-- CreateEnum
CREATE TYPE "actor_kind" AS ENUM ('operator', 'management-key', 'oidc', 'anonymous');

-- CreateEnum
CREATE TYPE "document_kind" AS ENUM ('organization', 'environment', 'content', 'apiClient', 'licenseProfile', 'endUser');

-- CreateTable
CREATE TABLE "organization" (
    "id" UUID NOT NULL,
    "company_name" TEXT NOT NULL,
    "company_name_key" TEXT NOT NULL,
    "country" TEXT NOT NULL,
    "website" TEXT,
    "registration_number" TEXT,
    "plan_id" TEXT NOT NULL,
    "status" "organization_status" NOT NULL DEFAULT 'active',
    "administrator_name" TEXT NOT NULL,
    "administrator_email" TEXT NOT NULL,
    "administrator_email_key" TEXT NOT NULL,
    "agreement_version" TEXT NOT NULL,
    "agreement_accepted_at" TIMESTAMPTZ(3) NOT NULL,
    "registration_key_hash" TEXT,
    "registration_request_hash" TEXT,
    "registration_owner_key_id" UUID,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,
    "version" INTEGER NOT NULL DEFAULT 1,

    CONSTRAINT "organization_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "management_key" (
    "id" UUID NOT NULL,
    "organization_id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "role" "management_role" NOT NULL,
    "prefix" TEXT NOT NULL,
    "hash" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3),
    "last_used_at" TIMESTAMPTZ(3),
    "revoked_at" TIMESTAMPTZ(3),
    "replaced_at" TIMESTAMPTZ(3),

    CONSTRAINT "management_key_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "project" (
    "id" UUID NOT NULL,
    "organization_id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "description" TEXT,
    "status" "project_status" NOT NULL DEFAULT 'active',
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,
    "version" INTEGER NOT NULL DEFAULT 1,

    CONSTRAINT "project_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "environment" (
    "id" UUID NOT NULL,
    "project_id" UUID NOT NULL,
    "kind" "environment_kind" NOT NULL,
    "name" TEXT NOT NULL,
    "status" "environment_status" NOT NULL DEFAULT 'active',
    "archived_with_project" BOOLEAN NOT NULL DEFAULT false,
    "default_license_policy_template" TEXT,
    "session_lifetime_seconds" INTEGER NOT NULL DEFAULT 14400,
    "maximum_concurrent_streams" INTEGER,
    "heartbeat_seconds" INTEGER,
    "maximum_session_seconds" INTEGER NOT NULL DEFAULT 86400,
    "license_token_lifetime_seconds" INTEGER,
    "allowed_origins" TEXT[] DEFAULT ARRAY['*']::TEXT[],
    "track_type_heights" JSONB NOT NULL DEFAULT '{"SD": 576, "HD": 1080, "UHD1": 2160, "UHD2": 4320}',
    "version" INTEGER NOT NULL DEFAULT 1,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "environment_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "environment_drm_system" (
    "environment_id" UUID NOT NULL,
    "drm_system" "drm_system" NOT NULL,
    "enabled" BOOLEAN NOT NULL,
    "backend" TEXT,
    "backend_settings" JSONB,
    "backend_secrets" JSONB,
    "certificate" TEXT,
    "version" INTEGER NOT NULL DEFAULT 1,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "environment_drm_system_pkey" PRIMARY KEY ("environment_id","drm_system")
);

-- CreateTable
CREATE TABLE "content_asset" (
    "id" UUID NOT NULL,
    "environment_id" UUID NOT NULL,
    "content_id" TEXT NOT NULL,
    "kind" "content_kind" NOT NULL,
    "title" TEXT NOT NULL,
    "manifests" JSONB NOT NULL DEFAULT '[]',
    "keys" JSONB NOT NULL DEFAULT '[]',
    "audio_languages" TEXT[],
    "subtitle_languages" TEXT[],
    "status" "content_status" NOT NULL DEFAULT 'draft',
    "license_profile_id" UUID,
    "version" INTEGER NOT NULL DEFAULT 1,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,
    "title_key" TEXT COLLATE "C" GENERATED ALWAYS AS ("search_key"("title")) STORED,
    "content_id_key" TEXT COLLATE "C" GENERATED ALWAYS AS ("search_key"("content_id")) STORED,

    CONSTRAINT "content_asset_pkey" PRIMARY KEY ("id")
);

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
    "subject_key" TEXT COLLATE "C" GENERATED ALWAYS AS ("search_key"("subject")) STORED,
    "display_name_key" TEXT COLLATE "C" GENERATED ALWAYS AS ("search_key"("display_name")) STORED,
    "email_key" TEXT COLLATE "C" GENERATED ALWAYS AS ("search_key"("email")) STORED,

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
    "before" JSONB,
    "after" JSONB,

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

-- CreateTable
CREATE TABLE "api_client" (
    "id" UUID NOT NULL,
    "project_id" UUID NOT NULL,
    "client_id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "access_key_hash" TEXT NOT NULL,
    "previous_access_key_hash" TEXT,
    "previous_access_key_until" TIMESTAMPTZ(3),
    "permissions" TEXT[],
    "all_environments" BOOLEAN NOT NULL,
    "environment_ids" UUID[],
    "expires_at" TIMESTAMPTZ(3),
    "revoked_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "last_used_at" TIMESTAMPTZ(3),
    "version" INTEGER NOT NULL DEFAULT 1,

    CONSTRAINT "api_client_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "outbox_entry" (
    "id" BIGSERIAL NOT NULL,
    "document_kind" "document_kind" NOT NULL,
    "document_id" UUID NOT NULL,
    "bulk" BOOLEAN NOT NULL DEFAULT false,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "outbox_entry_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "published_document" (
    "document_kind" "document_kind" NOT NULL,
    "document_id" UUID NOT NULL,
    "keys" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "revision" BIGINT NOT NULL DEFAULT 0,
    "published_at" TIMESTAMPTZ(3),

    CONSTRAINT "published_document_pkey" PRIMARY KEY ("document_kind","document_id")
);

-- CreateIndex
CREATE UNIQUE INDEX "organization_administrator_email_key_key" ON "organization"("administrator_email_key");

-- CreateIndex
CREATE UNIQUE INDEX "organization_registration_key_hash_key" ON "organization"("registration_key_hash");

-- CreateIndex
CREATE UNIQUE INDEX "organization_company_name_key_country_key" ON "organization"("company_name_key", "country");

-- CreateIndex
CREATE UNIQUE INDEX "management_key_hash_key" ON "management_key"("hash");

-- CreateIndex
CREATE INDEX "management_key_organization_id_created_at_id_idx" ON "management_key"("organization_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "project_organization_id_created_at_id_idx" ON "project"("organization_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "environment_project_id_created_at_id_idx" ON "environment"("project_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "content_asset_environment_id_created_at_id_status_kind_idx" ON "content_asset"("environment_id", "created_at", "id", "status", "kind");

-- CreateIndex
CREATE INDEX "content_asset_environment_id_updated_at_id_status_kind_idx" ON "content_asset"("environment_id", "updated_at", "id", "status", "kind");

-- CreateIndex
CREATE INDEX "content_asset_environment_id_title_key_id_status_kind_idx" ON "content_asset"("environment_id", "title_key", "id", "status", "kind");

-- CreateIndex
CREATE INDEX "content_asset_environment_id_content_id_key_id_status_kind_idx" ON "content_asset"("environment_id", "content_id_key", "id", "status", "kind");

-- CreateIndex
CREATE INDEX "content_asset_license_profile_id_idx" ON "content_asset"("license_profile_id");

-- CreateIndex
CREATE UNIQUE INDEX "content_asset_environment_id_content_id_key" ON "content_asset"("environment_id", "content_id");

-- CreateIndex
CREATE INDEX "rights_project_id_created_at_id_idx" ON "rights"("project_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "license_profile_project_id_created_at_id_idx" ON "license_profile"("project_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "license_profile_rights_id_idx" ON "license_profile"("rights_id");

-- CreateIndex
CREATE UNIQUE INDEX "license_profile_project_id_name_key" ON "license_profile"("project_id", "name");

-- CreateIndex
CREATE INDEX "end_user_project_id_created_at_id_status_idx" ON "end_user"("project_id", "created_at", "id", "status");

-- CreateIndex
CREATE INDEX "end_user_project_id_subject_key_id_status_idx" ON "end_user"("project_id", "subject_key", "id", "status");

-- CreateIndex
CREATE INDEX "end_user_project_id_display_name_key_id_status_idx" ON "end_user"("project_id", "display_name_key", "id", "status");

-- CreateIndex
CREATE INDEX "end_user_project_id_email_key_id_status_idx" ON "end_user"("project_id", "email_key", "id", "status");

-- CreateIndex
CREATE UNIQUE INDEX "end_user_project_id_subject_key" ON "end_user"("project_id", "subject");

-- CreateIndex
CREATE INDEX "audit_event_organization_id_occurred_at_id_idx" ON "audit_event"("organization_id", "occurred_at", "id");

-- CreateIndex
CREATE INDEX "audit_event_organization_id_action_occurred_at_id_idx" ON "audit_event"("organization_id", "action", "occurred_at", "id");

-- CreateIndex
CREATE INDEX "audit_event_organization_id_record_id_occurred_at_id_idx" ON "audit_event"("organization_id", "record_id", "occurred_at", "id");

-- CreateIndex
CREATE INDEX "audit_event_organization_id_actor_id_occurred_at_id_idx" ON "audit_event"("organization_id", "actor_id", "occurred_at", "id");

-- CreateIndex
CREATE INDEX "idempotent_create_created_at_idx" ON "idempotent_create"("created_at");

-- CreateIndex
CREATE UNIQUE INDEX "api_client_client_id_key" ON "api_client"("client_id");

-- CreateIndex
CREATE INDEX "api_client_project_id_created_at_id_idx" ON "api_client"("project_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "outbox_entry_document_kind_document_id_id_idx" ON "outbox_entry"("document_kind", "document_id", "id");

-- CreateIndex
CREATE INDEX "outbox_entry_bulk_document_kind_document_id_idx" ON "outbox_entry"("bulk", "document_kind", "document_id");

-- CreateIndex
CREATE INDEX "published_document_revision_idx" ON "published_document"("revision");

-- AddForeignKey
ALTER TABLE "management_key" ADD CONSTRAINT "management_key_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organization"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "project" ADD CONSTRAINT "project_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organization"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "environment" ADD CONSTRAINT "environment_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "project"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "environment_drm_system" ADD CONSTRAINT "environment_drm_system_environment_id_fkey" FOREIGN KEY ("environment_id") REFERENCES "environment"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "content_asset" ADD CONSTRAINT "content_asset_environment_id_fkey" FOREIGN KEY ("environment_id") REFERENCES "environment"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

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

-- AddForeignKey
ALTER TABLE "api_client" ADD CONSTRAINT "api_client_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "project"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- By hand: revisions of published documents. A sequence, because it is never rolled back: an attempt that reached Redis and then
-- failed to commit leaves a revision that no later attempt takes again. NO CYCLE and CACHE 1 keep later numbers greater.
CREATE SEQUENCE "publication_revision" AS BIGINT NO CYCLE CACHE 1;

-- By hand: audit events are only ever added. The Prisma schema has no triggers.
CREATE FUNCTION "refuse_audit_event_change"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'audit events are only ever added';
END
$$;

CREATE TRIGGER "audit_event_append_only" BEFORE UPDATE OR DELETE OR TRUNCATE ON "audit_event"
    FOR EACH STATEMENT EXECUTE FUNCTION "refuse_audit_event_change"();
