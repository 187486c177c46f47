CREATE TABLE "record_retention" (
	"environment" text PRIMARY KEY NOT NULL,
	"request_days" integer NOT NULL,
	"usage_days" integer NOT NULL,
	"announced_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "request_log" (
	"application_id" text NOT NULL,
	"at" timestamp with time zone NOT NULL,
	"request_id" text NOT NULL,
	"operation" text NOT NULL,
	"status" integer NOT NULL,
	"duration_ms" integer NOT NULL,
	"trace" json NOT NULL
) PARTITION BY RANGE ("at");
--> statement-breakpoint
CREATE TABLE "usage_counters" (
	"application_id" text NOT NULL,
	"minute" timestamp with time zone NOT NULL,
	"operation" text NOT NULL,
	"status" integer NOT NULL,
	"calls" integer NOT NULL,
	"duration_ms" bigint NOT NULL,
	CONSTRAINT "usage_counters_application_id_minute_operation_status_pk" PRIMARY KEY("application_id","minute","operation","status")
) PARTITION BY RANGE ("minute");
--> statement-breakpoint
CREATE INDEX "request_log_application" ON "request_log" USING btree ("application_id","at");--> statement-breakpoint
CREATE INDEX "request_log_request" ON "request_log" USING btree ("application_id","request_id","at");
