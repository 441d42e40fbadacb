-- AlterTable
ALTER TABLE "api_client" ADD COLUMN     "access_key_last_used_at" TIMESTAMPTZ(3),
ADD COLUMN     "access_key_prefix" TEXT,
ADD COLUMN     "previous_access_key_last_used_at" TIMESTAMPTZ(3),
ADD COLUMN     "previous_access_key_prefix" TEXT;
