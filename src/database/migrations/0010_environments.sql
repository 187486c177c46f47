ALTER TABLE "accounts" DROP CONSTRAINT "accounts_email_unique";--> statement-breakpoint
ALTER TABLE "applications" DROP CONSTRAINT "applications_account_id_accounts_id_fk";
--> statement-breakpoint
ALTER TABLE "reservations" DROP CONSTRAINT "reservations_application_id_applications_id_fk";
--> statement-breakpoint
DROP INDEX "reservations_confirmation";--> statement-breakpoint
ALTER TABLE "accounts" ADD COLUMN "environment" text;--> statement-breakpoint
ALTER TABLE "outbox" ADD COLUMN "environment" text;--> statement-breakpoint
ALTER TABLE "reservations" ADD COLUMN "environment" text;--> statement-breakpoint
-- Links had digests without a key. Queued emails contain such links, and nothing says which environment wrote them.
DELETE FROM "account_links";--> statement-breakpoint
DELETE FROM "outbox";--> statement-breakpoint
-- An account without a login that has only production applications moves to production. Every other account stays in the sandbox.
UPDATE "accounts" SET "environment" = CASE WHEN "email" IS NULL
    AND EXISTS (SELECT FROM "applications" a WHERE a."account_id" = "accounts"."id" AND a."environment" = 'production')
    AND NOT EXISTS (SELECT FROM "applications" a WHERE a."account_id" = "accounts"."id" AND a."environment" = 'sandbox')
  THEN 'production' ELSE 'sandbox' END;--> statement-breakpoint
-- The production applications of the others get an account of their own with the same address. It has no password and isn't an operator's:
-- until now, a sandbox could reset the password of an operator and approve with it.
INSERT INTO "accounts" ("id", "environment", "name", "tier", "email", "created_at")
  SELECT 'acc_' || substr(md5('production' || c."id"), 1, 20), 'production', c."name", c."tier", c."email", c."created_at" FROM "accounts" c
  WHERE c."environment" = 'sandbox' AND EXISTS (SELECT FROM "applications" a WHERE a."account_id" = c."id" AND a."environment" = 'production');--> statement-breakpoint
-- Otherwise the owner's own suspensions would count as an operator's.
UPDATE "audit_events" SET "actor" = 'acc_' || substr(md5('production' || a."account_id"), 1, 20) FROM "applications" a, "accounts" c
  WHERE a."id" = "audit_events"."subject" AND a."environment" = 'production' AND "audit_events"."actor" = a."account_id"
    AND c."id" = a."account_id" AND c."environment" = 'sandbox';--> statement-breakpoint
UPDATE "applications" SET "account_id" = 'acc_' || substr(md5('production' || "account_id"), 1, 20) FROM "accounts" c
  WHERE "applications"."environment" = 'production' AND c."id" = "account_id" AND c."environment" = 'sandbox';--> statement-breakpoint
UPDATE "reservations" SET "environment" = a."environment" FROM "applications" a WHERE a."id" = "application_id";--> statement-breakpoint
ALTER TABLE "accounts" ALTER COLUMN "environment" SET NOT NULL;--> statement-breakpoint
ALTER TABLE "outbox" ALTER COLUMN "environment" SET NOT NULL;--> statement-breakpoint
ALTER TABLE "reservations" ALTER COLUMN "environment" SET NOT NULL;--> statement-breakpoint
ALTER TABLE "accounts" ADD CONSTRAINT "accounts_environment_email" UNIQUE("environment","email");--> statement-breakpoint
ALTER TABLE "accounts" ADD CONSTRAINT "accounts_id_environment" UNIQUE("id","environment");--> statement-breakpoint
ALTER TABLE "applications" ADD CONSTRAINT "applications_id_environment" UNIQUE("id","environment");--> statement-breakpoint
ALTER TABLE "applications" ADD CONSTRAINT "applications_account_environment" FOREIGN KEY ("account_id","environment") REFERENCES "public"."accounts"("id","environment") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "reservations" ADD CONSTRAINT "reservations_application_environment" FOREIGN KEY ("application_id","environment") REFERENCES "public"."applications"("id","environment") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "reservations_confirmation" ON "reservations" USING btree ("confirmation_number","supplier","environment");
