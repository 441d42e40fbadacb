-- AlterTable
ALTER TABLE "event_set_aside" ADD COLUMN     "named_ids" UUID[] DEFAULT ARRAY[]::UUID[];

-- By hand: the ids of what was set aside before (src/events/set-aside.ts).
UPDATE "event_set_aside" SET "named_ids" = ARRAY(
  SELECT DISTINCT "found"[1]::uuid
  FROM regexp_matches(encode("entry", 'escape'), '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}', 'g') AS "found");

-- CreateIndex
CREATE INDEX "event_set_aside_named_ids_idx" ON "event_set_aside" USING GIN ("named_ids");
