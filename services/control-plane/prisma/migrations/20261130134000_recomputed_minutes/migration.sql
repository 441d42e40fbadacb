-- AlterTable
ALTER TABLE "usage_dirty_minute" ADD COLUMN     "is_recomputed" BOOLEAN NOT NULL DEFAULT false;
