-- Every application that was there gets an account of its own and its one secret as a row; that secret cannot be shown again.
INSERT INTO "accounts" ("id", "name", "tier") SELECT 'acc_' || substr("id", 5), "name", "tier" FROM "applications" WHERE "account_id" IS NULL;
--> statement-breakpoint
UPDATE "applications" SET "account_id" = 'acc_' || substr("id", 5) WHERE "account_id" IS NULL;
--> statement-breakpoint
INSERT INTO "client_secrets" ("id", "application_id", "hmac", "expires_at") SELECT 'sec_' || substr("id", 5), "id", "secret_hmac", "credentials_expire_at" FROM "applications";
