-- AlterTable
ALTER TABLE "published_document" ADD COLUMN     "mark" BIGINT NOT NULL DEFAULT 0;

-- CreateIndex
CREATE INDEX "published_document_mark_idx" ON "published_document"("mark");
