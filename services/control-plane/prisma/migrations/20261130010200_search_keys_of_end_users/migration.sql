-- By hand: an UPDATE generates the keys of the columns that it sets. Only rows whose keys differ are written and locked: in most databases
-- none.
UPDATE "end_user" SET "subject" = "subject", "display_name" = "display_name", "email" = "email"
  WHERE "subject_key" IS DISTINCT FROM "search_key"("subject") COLLATE "C"
    OR "display_name_key" IS DISTINCT FROM "search_key"("display_name") COLLATE "C"
    OR "email_key" IS DISTINCT FROM "search_key"("email") COLLATE "C";
