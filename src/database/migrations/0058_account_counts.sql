CREATE TABLE "account_counts" (
	"environment" text NOT NULL,
	"part" text NOT NULL,
	"operation" text NOT NULL,
	"at" timestamp with time zone NOT NULL,
	"account" text NOT NULL,
	"calls" bigint NOT NULL,
	"failed" bigint NOT NULL,
	CONSTRAINT "account_counts_environment_at_part_operation_account_pk" PRIMARY KEY("environment","at","part","operation","account")
);
