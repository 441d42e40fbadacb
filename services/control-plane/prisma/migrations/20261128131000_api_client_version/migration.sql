-- AlterTable
ALTER TABLE "api_client" ADD COLUMN     "version" INTEGER NOT NULL DEFAULT 1;
