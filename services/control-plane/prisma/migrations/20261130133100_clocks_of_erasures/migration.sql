-- AlterTable
ALTER TABLE "erased_subject" ADD COLUMN     "sessions_until" TIMESTAMPTZ(3),
ALTER COLUMN "erased_at" SET DEFAULT clock_timestamp();

-- AlterTable
ALTER TABLE "erasure" ADD COLUMN     "end_user_id" UUID,
ADD COLUMN     "last_pass_at" TIMESTAMPTZ(3),
ADD COLUMN     "sessions_until" TIMESTAMPTZ(3),
ALTER COLUMN "erased_at" SET DEFAULT clock_timestamp(),
ALTER COLUMN "next_pass_at" SET DEFAULT clock_timestamp();

-- AlterTable
ALTER TABLE "event_outbox" ALTER COLUMN "time" SET DEFAULT clock_timestamp();
