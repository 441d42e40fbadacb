-- CreateTable
CREATE TABLE "subject_hash_key" (
    "id" INTEGER NOT NULL DEFAULT 1,
    "key" BYTEA NOT NULL,

    CONSTRAINT "subject_hash_key_pkey" PRIMARY KEY ("id")
);

-- By hand: one row, with a random key. The extension for random bytes may be missing, so they are made from two random UUIDs of 122
-- random bits each.
ALTER TABLE "subject_hash_key" ADD CONSTRAINT "subject_hash_key_one_row" CHECK ("id" = 1 AND octet_length("key") = 32);

INSERT INTO "subject_hash_key" ("key") VALUES (sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid())));
