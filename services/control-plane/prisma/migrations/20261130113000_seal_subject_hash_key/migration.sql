-- AlterTable
ALTER TABLE "subject_hash_key" ADD COLUMN "sealed_key" TEXT,
ALTER COLUMN "key" DROP NOT NULL;

-- By hand: there is one row, with the key in one of its forms. The service encrypts it, which has the keys.
ALTER TABLE "subject_hash_key" DROP CONSTRAINT "subject_hash_key_one_row";
ALTER TABLE "subject_hash_key" ADD CONSTRAINT "subject_hash_key_one_row"
  CHECK ("id" = 1 AND num_nonnulls("key", "sealed_key") = 1 AND coalesce(octet_length("key"), 32) = 32);
