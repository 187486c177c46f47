CREATE TABLE "failed_exchanges" (
	"id" bigserial PRIMARY KEY NOT NULL,
	"environment" text NOT NULL,
	"at" timestamp with time zone NOT NULL,
	"supplier_id" text NOT NULL,
	"operation" text NOT NULL,
	"cause" text NOT NULL,
	"request_id" text NOT NULL,
	"why" text NOT NULL,
	"duration_ms" integer NOT NULL,
	"exchanges" json NOT NULL,
	"bytes" integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE "supplier_calls" (
	"environment" text NOT NULL,
	"supplier_id" text NOT NULL,
	"minute" timestamp with time zone NOT NULL,
	"operation" text NOT NULL,
	"cause" text NOT NULL,
	"bucket" integer NOT NULL,
	"calls" integer NOT NULL,
	CONSTRAINT "supplier_calls_key" PRIMARY KEY("environment","minute","supplier_id","operation","cause","bucket")
);
--> statement-breakpoint
CREATE TABLE "supplier_failures" (
	"environment" text NOT NULL,
	"supplier_id" text NOT NULL,
	"slot" timestamp with time zone NOT NULL,
	"operation" text NOT NULL,
	"cause" text NOT NULL,
	"application_id" text NOT NULL,
	"calls" integer NOT NULL,
	CONSTRAINT "supplier_failures_key" PRIMARY KEY("environment","supplier_id","slot","operation","cause","application_id")
);
--> statement-breakpoint
CREATE TABLE "supplier_measures" (
	"environment" text NOT NULL,
	"supplier_id" text NOT NULL,
	"measure" text NOT NULL,
	"minute" timestamp with time zone NOT NULL,
	"count" integer NOT NULL,
	"sum" double precision NOT NULL,
	CONSTRAINT "supplier_measures_key" PRIMARY KEY("environment","minute","supplier_id","measure")
);
--> statement-breakpoint
CREATE INDEX "failed_exchanges_supplier" ON "failed_exchanges" USING btree ("environment","supplier_id","operation","id");--> statement-breakpoint
CREATE INDEX "failed_exchanges_request" ON "failed_exchanges" USING btree ("environment","request_id");--> statement-breakpoint
CREATE INDEX "supplier_calls_supplier" ON "supplier_calls" USING btree ("environment","supplier_id","minute");