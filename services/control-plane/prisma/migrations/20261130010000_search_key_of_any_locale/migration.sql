-- By hand: what lists are searched and sorted by, alike in every database. The collation "und-x-icu" ignores the database's locale, under
-- which `lower` may leave other scripts as they are (LC_CTYPE C) or make a dotless i of I (tr-TR). Letters that differ only by their place
-- in a word or by a language are the same: final sigma, and the dotted and dotless i.
--
-- Name and type of the function stay, so the former release works on. Nobody may write while it is replaced: each row is then either
-- visible to the next migrations, which renew its keys, or gets them from the new function.
LOCK TABLE "content_asset", "end_user" IN SHARE ROW EXCLUSIVE MODE;

CREATE OR REPLACE FUNCTION "search_key"("value" TEXT) RETURNS TEXT
  LANGUAGE SQL IMMUTABLE PARALLEL SAFE
  AS $$
    SELECT left(translate(replace(lower(normalize("value", NFKC) COLLATE "und-x-icu"), 'i' || chr(775), 'i'), 'ςı', 'σi'), 256)
  $$;
