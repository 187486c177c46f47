CREATE TABLE "supplier_usage" (
	"application_id" text NOT NULL,
	"slot" timestamp with time zone NOT NULL,
	"supplier_id" text NOT NULL,
	"operation" text NOT NULL,
	"cause" text NOT NULL,
	"calls" integer NOT NULL,
	"remembered" integer NOT NULL,
	"buckets" integer[] NOT NULL,
	"offers" bigint NOT NULL,
	"cheapest" integer NOT NULL,
	"compared" integer NOT NULL,
	"changed" integer NOT NULL,
	"change_bp" bigint NOT NULL,
	CONSTRAINT "supplier_usage_key" PRIMARY KEY("application_id","slot","supplier_id","operation","cause")
) PARTITION BY RANGE ("slot");
