-- By hand: the collation "C" of what is looked up, as for events, and the last statements.
-- CreateTable
CREATE TABLE "usage_minute" (
    "scope_id" UUID NOT NULL,
    "dimension" TEXT COLLATE "C" NOT NULL,
    "time" TIMESTAMPTZ(0) NOT NULL,
    "value" TEXT COLLATE "C" NOT NULL,
    "started" INTEGER NOT NULL,
    "ended" INTEGER NOT NULL,
    "peak" INTEGER NOT NULL,
    "area" BIGINT NOT NULL,
    "counts" JSONB NOT NULL,

    CONSTRAINT "usage_minute_pkey" PRIMARY KEY ("scope_id","dimension","time","value")
);

-- CreateTable
CREATE TABLE "usage_hour" (
    "scope_id" UUID NOT NULL,
    "dimension" TEXT COLLATE "C" NOT NULL,
    "time" TIMESTAMPTZ(0) NOT NULL,
    "value" TEXT COLLATE "C" NOT NULL,
    "level" INTEGER NOT NULL DEFAULT 0,
    "started" INTEGER NOT NULL DEFAULT 0,
    "ended" INTEGER NOT NULL DEFAULT 0,
    "peak" INTEGER NOT NULL DEFAULT 0,
    "area" BIGINT NOT NULL DEFAULT 0,
    "counts" JSONB NOT NULL DEFAULT '{}',
    "viewers" INTEGER,
    "durations" JSONB,
    "viewers_by_streams" JSONB,

    CONSTRAINT "usage_hour_pkey" PRIMARY KEY ("scope_id","dimension","time","value")
);

-- CreateTable
CREATE TABLE "usage_day" (
    "scope_id" UUID NOT NULL,
    "dimension" TEXT COLLATE "C" NOT NULL,
    "time" TIMESTAMPTZ(0) NOT NULL,
    "value" TEXT COLLATE "C" NOT NULL,
    "level" INTEGER NOT NULL DEFAULT 0,
    "started" INTEGER NOT NULL DEFAULT 0,
    "ended" INTEGER NOT NULL DEFAULT 0,
    "peak" INTEGER NOT NULL DEFAULT 0,
    "area" BIGINT NOT NULL DEFAULT 0,
    "counts" JSONB NOT NULL DEFAULT '{}',
    "viewers" INTEGER,
    "durations" JSONB,
    "viewers_by_streams" JSONB,

    CONSTRAINT "usage_day_pkey" PRIMARY KEY ("scope_id","dimension","time","value")
);

-- CreateTable
CREATE TABLE "usage_month" (
    "scope_id" UUID NOT NULL,
    "time" TIMESTAMPTZ(0) NOT NULL,
    "viewers" INTEGER NOT NULL,

    CONSTRAINT "usage_month_pkey" PRIMARY KEY ("scope_id","time")
);

-- CreateTable
CREATE TABLE "viewer_day" (
    "environment_id" UUID NOT NULL,
    "day" DATE NOT NULL,
    "subject" TEXT COLLATE "C" NOT NULL,

    CONSTRAINT "viewer_day_pkey" PRIMARY KEY ("environment_id","day","subject")
);

-- CreateTable
CREATE TABLE "usage_value" (
    "environment_id" UUID NOT NULL,
    "day" DATE NOT NULL,
    "dimension" TEXT COLLATE "C" NOT NULL,
    "value" TEXT COLLATE "C" NOT NULL,

    CONSTRAINT "usage_value_pkey" PRIMARY KEY ("environment_id","day","dimension","value")
);

-- CreateTable
CREATE TABLE "usage_dirty_minute" (
    "id" BIGSERIAL NOT NULL,
    "environment_id" UUID NOT NULL,
    "minute" TIMESTAMPTZ(0) NOT NULL,

    CONSTRAINT "usage_dirty_minute_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "usage_closing" (
    "organization_id" UUID NOT NULL,
    "interval" TEXT COLLATE "C" NOT NULL,
    "time" TIMESTAMPTZ(0) NOT NULL,
    "due_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "usage_closing_pkey" PRIMARY KEY ("organization_id","interval","time")
);

-- CreateTable
CREATE TABLE "usage_progress" (
    "interval" TEXT COLLATE "C" NOT NULL,
    "carried_until" TIMESTAMPTZ(0) NOT NULL,

    CONSTRAINT "usage_progress_pkey" PRIMARY KEY ("interval")
);

-- CreateIndex
CREATE INDEX "usage_minute_time_idx" ON "usage_minute"("time");

-- CreateIndex
CREATE INDEX "usage_hour_time_idx" ON "usage_hour"("time");

-- CreateIndex
CREATE INDEX "usage_day_time_idx" ON "usage_day"("time");

-- CreateIndex
CREATE INDEX "viewer_day_day_idx" ON "viewer_day"("day");

-- CreateIndex
CREATE INDEX "usage_value_day_idx" ON "usage_value"("day");

-- CreateIndex
CREATE INDEX "usage_dirty_minute_minute_idx" ON "usage_dirty_minute"("minute");

-- CreateIndex
CREATE INDEX "usage_closing_due_at_idx" ON "usage_closing"("due_at");

-- Minutes of contents are removed first. The Prisma schema has no partial indexes.
CREATE INDEX "usage_minute_of_contents_time_idx" ON "usage_minute"("time") WHERE "dimension" = 'contentId';

-- What was stored before is counted, too.
INSERT INTO "viewer_day" ("environment_id", "day", "subject")
SELECT DISTINCT "environment_id", ("started_at" AT TIME ZONE 'UTC')::date, "subject" FROM "session";
INSERT INTO "usage_dirty_minute" ("environment_id", "minute")
SELECT DISTINCT "scope_id", date_trunc('minute', "time") FROM "event" WHERE "type" LIKE 'session.%' OR "type" LIKE 'license.%';
INSERT INTO "usage_progress" ("interval", "carried_until")
SELECT "interval", date_trunc("interval", coalesce((SELECT min("minute") FROM "usage_dirty_minute"), now()), 'UTC')
FROM unnest(ARRAY['hour', 'day']) AS "intervals"("interval");
