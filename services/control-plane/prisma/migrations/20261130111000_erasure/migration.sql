-- CreateTable
CREATE TABLE "erased_block" (
    "end_user_id" UUID NOT NULL,
    "project_id" UUID NOT NULL,
    "subject_hash" TEXT NOT NULL,
    "environment_hashes" JSONB NOT NULL,

    CONSTRAINT "erased_block_pkey" PRIMARY KEY ("end_user_id")
);

-- CreateTable
CREATE TABLE "erasure" (
    "id" UUID NOT NULL,
    "project_id" UUID NOT NULL,
    "subject" TEXT NOT NULL,
    "erased_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "next_pass_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "erasure_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "erased_subject" (
    "environment_id" UUID NOT NULL,
    "subject_hash" TEXT NOT NULL,
    "erasure_id" UUID NOT NULL,
    "erased_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "erased_subject_pkey" PRIMARY KEY ("environment_id","subject_hash","erasure_id")
);

-- CreateIndex
CREATE UNIQUE INDEX "erased_block_project_id_subject_hash_key" ON "erased_block"("project_id", "subject_hash");

-- CreateIndex
CREATE INDEX "erasure_next_pass_at_idx" ON "erasure"("next_pass_at");

-- CreateIndex
CREATE INDEX "erased_subject_erased_at_idx" ON "erased_subject"("erased_at");

-- AddForeignKey
ALTER TABLE "erased_block" ADD CONSTRAINT "erased_block_end_user_id_fkey" FOREIGN KEY ("end_user_id") REFERENCES "end_user"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- By hand: finds the end user that has a key now. The Prisma schema has no partial indexes.
CREATE INDEX "published_document_end_user_keys_idx" ON "published_document" USING gin ("keys") WHERE "document_kind" = 'endUser';
