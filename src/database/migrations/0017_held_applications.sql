ALTER TABLE "applications" ADD COLUMN "is_held" boolean DEFAULT false NOT NULL;--> statement-breakpoint
-- Held by someone other than their account since they were last resumed.
UPDATE "applications" a SET "is_held" = true WHERE a."state" = 'suspended' AND EXISTS (
	SELECT 1 FROM "audit_events" e WHERE e."subject" = a."id" AND e."action" = 'application_suspended' AND e."actor" <> a."account_id"
		AND e."id" > coalesce((SELECT max(r."id") FROM "audit_events" r WHERE r."subject" = a."id" AND r."action" = 'application_resumed'), 0));--> statement-breakpoint
DROP INDEX "audit_events_suspensions";--> statement-breakpoint
DROP INDEX "applications_account";--> statement-breakpoint
CREATE INDEX "applications_kept" ON "applications" USING btree ("account_id","created_at","id") WHERE "applications"."state" <> 'deleted';--> statement-breakpoint
CREATE INDEX "applications_account" ON "applications" USING btree ("account_id","created_at","id");
