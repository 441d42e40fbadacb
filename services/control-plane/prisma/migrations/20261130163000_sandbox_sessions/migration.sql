-- AlterTable
ALTER TABLE "session" ADD COLUMN     "sandbox" BOOLEAN NOT NULL DEFAULT false;
