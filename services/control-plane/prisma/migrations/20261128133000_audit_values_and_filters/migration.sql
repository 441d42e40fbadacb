-- AlterTable
ALTER TABLE "audit_event" ADD COLUMN     "after" JSONB,
ADD COLUMN     "before" JSONB;

-- CreateIndex
CREATE INDEX "audit_event_organization_id_action_occurred_at_id_idx" ON "audit_event"("organization_id", "action", "occurred_at", "id");

-- CreateIndex
CREATE INDEX "audit_event_organization_id_record_id_occurred_at_id_idx" ON "audit_event"("organization_id", "record_id", "occurred_at", "id");

-- CreateIndex
CREATE INDEX "audit_event_organization_id_actor_id_occurred_at_id_idx" ON "audit_event"("organization_id", "actor_id", "occurred_at", "id");
