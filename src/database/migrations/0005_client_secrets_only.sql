ALTER TABLE "applications" ALTER COLUMN "account_id" SET NOT NULL;--> statement-breakpoint
ALTER TABLE "applications" DROP COLUMN "secret_hmac";--> statement-breakpoint
ALTER TABLE "applications" DROP COLUMN "credentials_expire_at";