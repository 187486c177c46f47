CREATE TABLE "second_factors" (
	"account_id" text PRIMARY KEY NOT NULL,
	"sealed" text NOT NULL,
	"last_step" bigint NOT NULL,
	"recovery_codes" text[] NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "second_factors" ADD CONSTRAINT "second_factors_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
-- Until now, sign-up set the password. Whoever signed up with an address that isn't verified yet may not be its owner.
UPDATE "accounts" SET "password_hash" = NULL WHERE "verified_at" IS NULL;
