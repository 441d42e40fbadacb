-- CreateEnum
CREATE TYPE "organization_status" AS ENUM ('active', 'suspended');

-- CreateEnum
CREATE TYPE "management_role" AS ENUM ('owner', 'admin', 'editor', 'viewer');

-- CreateEnum
CREATE TYPE "project_status" AS ENUM ('active');

-- CreateEnum
CREATE TYPE "environment_kind" AS ENUM ('development', 'staging', 'production');

-- CreateEnum
CREATE TYPE "environment_status" AS ENUM ('active');

-- CreateEnum
CREATE TYPE "drm_system" AS ENUM ('widevine', 'playready', 'fairplay', 'wiseplay');

-- CreateEnum
CREATE TYPE "content_kind" AS ENUM ('vod', 'live', 'audio', 'document');

-- CreateEnum
CREATE TYPE "content_status" AS ENUM ('draft', 'published');

-- CreateEnum
CREATE TYPE "document_kind" AS ENUM ('organization', 'environment', 'content', 'apiClient');

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
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

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

    CONSTRAINT "project_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "environment" (
    "id" UUID NOT NULL,
    "project_id" UUID NOT NULL,
    "kind" "environment_kind" NOT NULL,
    "name" TEXT NOT NULL,
    "status" "environment_status" NOT NULL DEFAULT 'active',
    "default_license_policy_template" TEXT,
    "session_lifetime_seconds" INTEGER NOT NULL DEFAULT 14400,
    "maximum_concurrent_streams" INTEGER,
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
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "content_asset_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "api_client" (
    "id" UUID NOT NULL,
    "project_id" UUID NOT NULL,
    "client_id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "access_key_hash" TEXT NOT NULL,
    "permissions" TEXT[],
    "all_environments" BOOLEAN NOT NULL,
    "environment_ids" UUID[],
    "expires_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "last_used_at" TIMESTAMPTZ(3),

    CONSTRAINT "api_client_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "outbox_entry" (
    "id" BIGSERIAL NOT NULL,
    "document_kind" "document_kind" NOT NULL,
    "document_id" UUID NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "outbox_entry_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "published_document" (
    "document_kind" "document_kind" NOT NULL,
    "document_id" UUID NOT NULL,
    "key" TEXT,
    "revision" BIGINT NOT NULL DEFAULT 0,
    "published_at" TIMESTAMPTZ(3),

    CONSTRAINT "published_document_pkey" PRIMARY KEY ("document_kind","document_id")
);

-- CreateIndex
CREATE UNIQUE INDEX "organization_administrator_email_key_key" ON "organization"("administrator_email_key");

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
CREATE INDEX "content_asset_environment_id_created_at_id_idx" ON "content_asset"("environment_id", "created_at", "id");

-- CreateIndex
CREATE UNIQUE INDEX "content_asset_environment_id_content_id_key" ON "content_asset"("environment_id", "content_id");

-- CreateIndex
CREATE UNIQUE INDEX "api_client_client_id_key" ON "api_client"("client_id");

-- CreateIndex
CREATE INDEX "api_client_project_id_created_at_id_idx" ON "api_client"("project_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "outbox_entry_document_kind_document_id_id_idx" ON "outbox_entry"("document_kind", "document_id", "id");

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
ALTER TABLE "api_client" ADD CONSTRAINT "api_client_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "project"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- Revisions of published documents. A sequence, because it is never rolled back: an attempt that reached Redis and then
-- failed to commit leaves a revision that no later attempt takes again. NO CYCLE and CACHE 1 keep later numbers greater.
CREATE SEQUENCE "publication_revision" AS BIGINT NO CYCLE CACHE 1;
