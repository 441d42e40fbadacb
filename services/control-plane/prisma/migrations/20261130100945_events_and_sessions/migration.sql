-- By hand: PARTITION BY, and the collation "C" of what is looked up: the same in every database, and cheaper to compare. The partitions are
-- made by the commands and the service (src/database/partitions.ts).
-- CreateTable
CREATE TABLE "event" (
    "time" TIMESTAMPTZ(6) NOT NULL,
    "id" UUID NOT NULL,
    "sequence" BIGSERIAL NOT NULL,
    "stored_at" TIMESTAMPTZ(3) NOT NULL DEFAULT clock_timestamp(),
    "type" TEXT COLLATE "C" NOT NULL,
    "scope_id" UUID NOT NULL,
    "subject" TEXT COLLATE "C",
    "session_id" TEXT COLLATE "C",
    "reservation_id" UUID,
    "content_id" TEXT COLLATE "C",
    "data" JSONB NOT NULL,

    CONSTRAINT "event_pkey" PRIMARY KEY ("time","id")
) PARTITION BY RANGE ("time");

-- CreateTable
CREATE TABLE "session" (
    "started_at" TIMESTAMPTZ(3) NOT NULL,
    "reservation_id" UUID NOT NULL,
    "started_microseconds" SMALLINT NOT NULL,
    "environment_id" UUID NOT NULL,
    "subject" TEXT COLLATE "C" NOT NULL,
    "session_id" TEXT COLLATE "C" NOT NULL,
    "content_id" TEXT COLLATE "C" NOT NULL,
    "content_type" TEXT NOT NULL,
    "drm_system" TEXT NOT NULL,
    "application_id" TEXT,
    "client_platform" TEXT,
    "attempt_id" TEXT,
    "reporting" JSONB,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "ended_at" TIMESTAMPTZ(6),
    "end_reason" TEXT,
    "license_requests" INTEGER,
    "look_up_at" TIMESTAMPTZ(3),
    "missing_since" TIMESTAMPTZ(3),

    CONSTRAINT "session_pkey" PRIMARY KEY ("started_at","reservation_id")
) PARTITION BY RANGE ("started_at");

-- CreateTable
CREATE TABLE "event_outbox" (
    "id" UUID NOT NULL,
    "time" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "type" TEXT NOT NULL,
    "scope_id" UUID NOT NULL,
    "subject" TEXT,
    "content_id" TEXT,
    "data" JSONB NOT NULL,

    CONSTRAINT "event_outbox_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "event_set_aside" (
    "digest" BYTEA NOT NULL,
    "list" TEXT NOT NULL,
    "entry" BYTEA NOT NULL,
    "size" INTEGER NOT NULL,
    "reason" TEXT NOT NULL,
    "set_aside_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "event_set_aside_pkey" PRIMARY KEY ("digest")
);

-- CreateTable
CREATE TABLE "event_gap" (
    "list" TEXT NOT NULL,
    "from_time" TIMESTAMPTZ(6) NOT NULL,
    "to_time" TIMESTAMPTZ(6) NOT NULL,
    "count" BIGINT NOT NULL,

    CONSTRAINT "event_gap_pkey" PRIMARY KEY ("list","from_time")
);

-- CreateIndex
CREATE INDEX "event_scope_id_id_idx" ON "event"("scope_id", "id");

-- CreateIndex
CREATE INDEX "event_scope_id_type_id_idx" ON "event"("scope_id", "type", "id");

-- CreateIndex
CREATE INDEX "event_scope_id_subject_id_idx" ON "event"("scope_id", "subject", "id");

-- CreateIndex
CREATE INDEX "event_scope_id_session_id_id_idx" ON "event"("scope_id", "session_id", "id");

-- CreateIndex
CREATE INDEX "event_scope_id_content_id_id_idx" ON "event"("scope_id", "content_id", "id");

-- CreateIndex
CREATE INDEX "event_scope_id_sequence_idx" ON "event"("scope_id", "sequence");

-- CreateIndex
CREATE INDEX "session_environment_id_started_at_reservation_id_idx" ON "session"("environment_id", "started_at", "reservation_id");

-- CreateIndex
CREATE INDEX "session_environment_id_subject_started_at_reservation_id_idx" ON "session"("environment_id", "subject", "started_at", "reservation_id");

-- CreateIndex
CREATE INDEX "session_environment_id_session_id_idx" ON "session"("environment_id", "session_id");

-- CreateIndex
CREATE INDEX "session_environment_id_content_id_started_at_reservation_id_idx" ON "session"("environment_id", "content_id", "started_at", "reservation_id");

-- CreateIndex
CREATE INDEX "event_outbox_time_idx" ON "event_outbox"("time");

-- CreateIndex
CREATE INDEX "event_set_aside_set_aside_at_idx" ON "event_set_aside"("set_aside_at");

-- CreateIndex
CREATE INDEX "event_gap_to_time_idx" ON "event_gap"("to_time");

-- By hand: the open sessions are few beside those that have ended. The Prisma schema has no partial indexes.
CREATE INDEX "session_open_idx" ON "session"("environment_id", "started_at", "reservation_id") WHERE "ended_at" IS NULL;
CREATE INDEX "session_look_up_at_idx" ON "session"("look_up_at") WHERE "ended_at" IS NULL;
