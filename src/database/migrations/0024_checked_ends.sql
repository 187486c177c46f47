-- Reads all rows, but blocks neither readers nor writers.
ALTER TABLE "request_records" VALIDATE CONSTRAINT "request_records_end";--> statement-breakpoint
ALTER TABLE "usage_minutes" VALIDATE CONSTRAINT "usage_minutes_end";
