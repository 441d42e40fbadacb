-- By hand: PARTITION BY. The partitions are made by the commands and the service (src/database/partitions.ts).
-- CreateEnum
CREATE TYPE "webhook_disabled_reason" AS ENUM ('gone', 'failing');

-- CreateEnum
CREATE TYPE "webhook_delivery_status" AS ENUM ('pending', 'delivered', 'failed');

-- CreateTable
CREATE TABLE "webhook_endpoint" (
    "id" UUID NOT NULL,
    "project_id" UUID NOT NULL,
    "url" TEXT NOT NULL,
    "description" TEXT,
    "types" TEXT[],
    "environment_ids" UUID[],
    "enabled" BOOLEAN NOT NULL DEFAULT true,
    "disabled_at" TIMESTAMPTZ(3),
    "disabled_reason" "webhook_disabled_reason",
    "maximum_per_second" INTEGER,
    "removed_at" TIMESTAMPTZ(3),
    "secret" TEXT NOT NULL,
    "previous_secret" TEXT,
    "previous_secret_expires_at" TIMESTAMPTZ(3),
    "secret_headers" JSONB NOT NULL DEFAULT '{}',
    "version" INTEGER NOT NULL DEFAULT 1,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "lease_owner" UUID,
    "leased_until" TIMESTAMPTZ(3),
    "failing_since" TIMESTAMPTZ(3),

    CONSTRAINT "webhook_endpoint_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "webhook_delivery" (
    "endpoint_id" UUID NOT NULL,
    "time" TIMESTAMPTZ(6) NOT NULL,
    "event_id" UUID NOT NULL,
    "status" "webhook_delivery_status" NOT NULL DEFAULT 'pending',
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "next_attempt_at" TIMESTAMPTZ(3) DEFAULT CURRENT_TIMESTAMP,
    "is_replay" BOOLEAN NOT NULL DEFAULT false,
    "last_attempt_at" TIMESTAMPTZ(3),
    "last_status" INTEGER,
    "last_error" TEXT,
    "last_answer" TEXT,

    CONSTRAINT "webhook_delivery_pkey" PRIMARY KEY ("endpoint_id","time","event_id")
) PARTITION BY RANGE ("time");

-- CreateTable
CREATE TABLE "webhook_replay" (
    "id" UUID NOT NULL,
    "endpoint_id" UUID NOT NULL,
    "from_time" TIMESTAMPTZ(6) NOT NULL,
    "to_time" TIMESTAMPTZ(6) NOT NULL,
    "types" TEXT[],
    "only_failed" BOOLEAN NOT NULL,
    "cursor" UUID,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "webhook_replay_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "webhook_endpoint_project_id_created_at_id_idx" ON "webhook_endpoint"("project_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "webhook_replay_endpoint_id_id_idx" ON "webhook_replay"("endpoint_id", "id");

-- AddForeignKey
ALTER TABLE "webhook_endpoint" ADD CONSTRAINT "webhook_endpoint_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "project"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "webhook_replay" ADD CONSTRAINT "webhook_replay_endpoint_id_fkey" FOREIGN KEY ("endpoint_id") REFERENCES "webhook_endpoint"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- By hand: deliveries that are due and those that failed are few beside those that arrived. The Prisma schema has no partial indexes.
CREATE INDEX "webhook_delivery_due_idx" ON "webhook_delivery"("endpoint_id", "is_replay", "next_attempt_at") WHERE "next_attempt_at" IS NOT NULL;
CREATE INDEX "webhook_delivery_failed_idx" ON "webhook_delivery"("endpoint_id", "time", "event_id") WHERE "status" = 'failed';
