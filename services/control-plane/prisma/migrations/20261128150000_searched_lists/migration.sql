-- By hand: what lists are searched and sorted by. In Unicode form NFKC and lower case, cut so that it fits an index, and
-- compared by its bytes (C), so that an index finds a prefix.
CREATE FUNCTION "search_key"("value" TEXT) RETURNS TEXT
  LANGUAGE SQL IMMUTABLE PARALLEL SAFE
  AS $$ SELECT left(lower(normalize("value", NFKC)), 256) $$;

-- AlterTable
ALTER TABLE "content_asset"
ADD COLUMN     "title_key" TEXT COLLATE "C" GENERATED ALWAYS AS ("search_key"("title")) STORED,
ADD COLUMN     "content_id_key" TEXT COLLATE "C" GENERATED ALWAYS AS ("search_key"("content_id")) STORED;

-- AlterTable
ALTER TABLE "end_user"
ADD COLUMN     "subject_key" TEXT COLLATE "C" GENERATED ALWAYS AS ("search_key"("subject")) STORED,
ADD COLUMN     "display_name_key" TEXT COLLATE "C" GENERATED ALWAYS AS ("search_key"("display_name")) STORED,
ADD COLUMN     "email_key" TEXT COLLATE "C" GENERATED ALWAYS AS ("search_key"("email")) STORED;

-- CreateIndex
CREATE INDEX "content_asset_environment_id_updated_at_id_idx" ON "content_asset"("environment_id", "updated_at", "id");

-- CreateIndex
CREATE INDEX "content_asset_environment_id_title_key_id_idx" ON "content_asset"("environment_id", "title_key", "id");

-- CreateIndex
CREATE INDEX "content_asset_environment_id_content_id_key_id_idx" ON "content_asset"("environment_id", "content_id_key", "id");

-- CreateIndex
CREATE INDEX "end_user_project_id_subject_key_id_idx" ON "end_user"("project_id", "subject_key", "id");

-- CreateIndex
CREATE INDEX "end_user_project_id_display_name_key_id_idx" ON "end_user"("project_id", "display_name_key", "id");

-- CreateIndex
CREATE INDEX "end_user_project_id_email_key_id_idx" ON "end_user"("project_id", "email_key", "id");
