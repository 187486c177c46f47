DROP INDEX "request_records_request";--> statement-breakpoint
DROP INDEX "audit_events_subject";--> statement-breakpoint
DROP INDEX "audit_events_actor";--> statement-breakpoint
CREATE INDEX "reservations_application" ON "reservations" USING btree ("application_id","id");--> statement-breakpoint
CREATE INDEX "applications_account" ON "applications" USING btree ("account_id");--> statement-breakpoint
CREATE INDEX "applications_launched_from" ON "applications" USING btree ("launched_from") WHERE "applications"."launched_from" is not null;--> statement-breakpoint
CREATE INDEX "audit_events_suspensions" ON "audit_events" USING btree ("subject","id") WHERE "audit_events"."action" in ('application_suspended', 'application_resumed');--> statement-breakpoint
CREATE INDEX "request_records_request" ON "request_records" USING btree ("application_id","request_id","at");--> statement-breakpoint
CREATE INDEX "audit_events_subject" ON "audit_events" USING btree ("subject","id");--> statement-breakpoint
CREATE INDEX "audit_events_actor" ON "audit_events" USING btree ("actor","id");