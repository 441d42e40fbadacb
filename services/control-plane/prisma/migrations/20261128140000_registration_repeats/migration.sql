-- AlterTable
ALTER TABLE "organization" ADD COLUMN     "registration_key_hash" TEXT,
ADD COLUMN     "registration_owner_key_id" UUID,
ADD COLUMN     "registration_request_hash" TEXT;

-- CreateIndex
CREATE UNIQUE INDEX "organization_registration_key_hash_key" ON "organization"("registration_key_hash");
