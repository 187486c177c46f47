CREATE TABLE "maintenance" (
	"environment" text NOT NULL,
	"subject" text NOT NULL,
	"until" timestamp with time zone,
	"changed_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "maintenance_environment_subject_pk" PRIMARY KEY("environment","subject")
);
