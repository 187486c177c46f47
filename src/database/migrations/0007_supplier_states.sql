CREATE TABLE "supplier_states" (
	"environment" text NOT NULL,
	"supplier_id" text NOT NULL,
	"state" text NOT NULL,
	"until" timestamp with time zone,
	"changed_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "supplier_states_environment_supplier_id_pk" PRIMARY KEY("environment","supplier_id")
);
