-- The indexes of sorted lists also hold what most lists are narrowed by, so that PostgreSQL counts, and finds the ids of a page,
-- in the index alone.

-- DropIndex
DROP INDEX "content_asset_environment_id_created_at_id_idx";

-- DropIndex
DROP INDEX "content_asset_environment_id_updated_at_id_idx";

-- DropIndex
DROP INDEX "content_asset_environment_id_title_key_id_idx";

-- DropIndex
DROP INDEX "content_asset_environment_id_content_id_key_id_idx";

-- DropIndex
DROP INDEX "end_user_project_id_created_at_id_idx";

-- DropIndex
DROP INDEX "end_user_project_id_subject_key_id_idx";

-- DropIndex
DROP INDEX "end_user_project_id_display_name_key_id_idx";

-- DropIndex
DROP INDEX "end_user_project_id_email_key_id_idx";

-- CreateIndex
CREATE INDEX "content_asset_environment_id_created_at_id_status_kind_idx" ON "content_asset"("environment_id", "created_at", "id", "status", "kind");

-- CreateIndex
CREATE INDEX "content_asset_environment_id_updated_at_id_status_kind_idx" ON "content_asset"("environment_id", "updated_at", "id", "status", "kind");

-- CreateIndex
CREATE INDEX "content_asset_environment_id_title_key_id_status_kind_idx" ON "content_asset"("environment_id", "title_key", "id", "status", "kind");

-- CreateIndex
CREATE INDEX "content_asset_environment_id_content_id_key_id_status_kind_idx" ON "content_asset"("environment_id", "content_id_key", "id", "status", "kind");

-- CreateIndex
CREATE INDEX "end_user_project_id_created_at_id_status_idx" ON "end_user"("project_id", "created_at", "id", "status");

-- CreateIndex
CREATE INDEX "end_user_project_id_subject_key_id_status_idx" ON "end_user"("project_id", "subject_key", "id", "status");

-- CreateIndex
CREATE INDEX "end_user_project_id_display_name_key_id_status_idx" ON "end_user"("project_id", "display_name_key", "id", "status");

-- CreateIndex
CREATE INDEX "end_user_project_id_email_key_id_status_idx" ON "end_user"("project_id", "email_key", "id", "status");
