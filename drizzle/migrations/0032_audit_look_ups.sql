-- safe beside the release before
CREATE INDEX "audit_log_looked_up" ON "audit_log" USING btree ("point_system_id","action","id") WHERE "audit_log"."action" in ('member.transfer', 'campaign.chain');