CREATE TABLE "account_links" (
	"digest" text PRIMARY KEY NOT NULL,
	"account_id" text NOT NULL,
	"purpose" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"expires_at" timestamp with time zone NOT NULL,
	"used_at" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "launch_requests" (
	"id" text PRIMARY KEY NOT NULL,
	"application_id" text NOT NULL,
	"state" text DEFAULT 'requested' NOT NULL,
	"message" text NOT NULL,
	"requested_at" timestamp with time zone DEFAULT now() NOT NULL,
	"decided_at" timestamp with time zone,
	"decision" text,
	"production_application_id" text
);
--> statement-breakpoint
CREATE TABLE "notices_sent" (
	"key" text PRIMARY KEY NOT NULL,
	"at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "outbox" (
	"id" bigserial PRIMARY KEY NOT NULL,
	"at" timestamp with time zone DEFAULT now() NOT NULL,
	"recipient" text NOT NULL,
	"subject" text NOT NULL,
	"text" text NOT NULL,
	"html" text NOT NULL
);
--> statement-breakpoint
CREATE TABLE "request_records" (
	"application_id" text NOT NULL,
	"at" timestamp with time zone NOT NULL,
	"request_id" text NOT NULL,
	"operation" text NOT NULL,
	"status" integer NOT NULL,
	"duration_ms" integer NOT NULL,
	"trace" json NOT NULL
);
--> statement-breakpoint
CREATE TABLE "usage_batches" (
	"gateway" text PRIMARY KEY NOT NULL,
	"number" integer NOT NULL,
	"written_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "usage_minutes" (
	"application_id" text NOT NULL,
	"minute" timestamp with time zone NOT NULL,
	"operation" text NOT NULL,
	"status" integer NOT NULL,
	"calls" integer NOT NULL,
	"duration_ms" bigint NOT NULL,
	CONSTRAINT "usage_minutes_application_id_minute_operation_status_pk" PRIMARY KEY("application_id","minute","operation","status")
);
--> statement-breakpoint
ALTER TABLE "accounts" ADD COLUMN "email" text;--> statement-breakpoint
ALTER TABLE "accounts" ADD COLUMN "password_hash" text;--> statement-breakpoint
ALTER TABLE "accounts" ADD COLUMN "verified_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "accounts" ADD COLUMN "role" text DEFAULT 'developer' NOT NULL;--> statement-breakpoint
ALTER TABLE "applications" ADD COLUMN "description" text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE "applications" ADD COLUMN "redirect_url" text;--> statement-breakpoint
ALTER TABLE "applications" ADD COLUMN "launched_from" text;--> statement-breakpoint
ALTER TABLE "account_links" ADD CONSTRAINT "account_links_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "launch_requests" ADD CONSTRAINT "launch_requests_application_id_applications_id_fk" FOREIGN KEY ("application_id") REFERENCES "public"."applications"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "account_links_account" ON "account_links" USING btree ("account_id");--> statement-breakpoint
CREATE INDEX "launch_requests_application" ON "launch_requests" USING btree ("application_id");--> statement-breakpoint
CREATE INDEX "request_records_application" ON "request_records" USING btree ("application_id","at");--> statement-breakpoint
CREATE INDEX "request_records_at" ON "request_records" USING btree ("at");--> statement-breakpoint
CREATE INDEX "request_records_request" ON "request_records" USING btree ("request_id");--> statement-breakpoint
CREATE INDEX "usage_minutes_minute" ON "usage_minutes" USING btree ("minute");--> statement-breakpoint
CREATE INDEX "audit_events_actor" ON "audit_events" USING btree ("actor");--> statement-breakpoint
ALTER TABLE "accounts" ADD CONSTRAINT "accounts_email_unique" UNIQUE("email");