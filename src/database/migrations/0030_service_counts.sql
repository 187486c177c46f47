CREATE TABLE "incidents" (
	"id" text PRIMARY KEY NOT NULL,
	"environment" text NOT NULL,
	"kind" text NOT NULL,
	"part" text NOT NULL,
	"operations" text[] NOT NULL,
	"began_at" timestamp with time zone NOT NULL,
	"ended_at" timestamp with time zone,
	"calls" bigint NOT NULL,
	"failed" bigint NOT NULL,
	"notes" json NOT NULL
);
--> statement-breakpoint
CREATE TABLE "service_counts" (
	"environment" text NOT NULL,
	"part" text NOT NULL,
	"operation" text NOT NULL,
	"span" text NOT NULL,
	"at" timestamp with time zone NOT NULL,
	"calls" bigint NOT NULL,
	"failed" bigint NOT NULL,
	CONSTRAINT "service_counts_environment_span_at_part_operation_pk" PRIMARY KEY("environment","span","at","part","operation")
);
--> statement-breakpoint
CREATE UNIQUE INDEX "incidents_open" ON "incidents" USING btree ("environment","kind","part") WHERE "incidents"."ended_at" is null and "incidents"."kind" <> 'notice';--> statement-breakpoint
CREATE INDEX "incidents_began" ON "incidents" USING btree ("environment","began_at");