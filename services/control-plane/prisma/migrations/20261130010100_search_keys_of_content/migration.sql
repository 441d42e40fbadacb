-- By hand: an UPDATE generates the keys of the columns that it sets. Only rows whose keys differ are written and locked: in most databases
-- none.
UPDATE "content_asset" SET "title" = "title", "content_id" = "content_id"
  WHERE "title_key" IS DISTINCT FROM "search_key"("title") COLLATE "C"
    OR "content_id_key" IS DISTINCT FROM "search_key"("content_id") COLLATE "C";
