ALTER TABLE "accounts" ADD COLUMN "erasing_since" timestamp with time zone;--> statement-breakpoint
CREATE INDEX "accounts_erasing" ON "accounts" USING btree ("environment") WHERE "accounts"."erasing_since" is not null;--> statement-breakpoint
CREATE INDEX "accounts_unverified" ON "accounts" USING btree ("created_at") WHERE "accounts"."verified_at" is null and "accounts"."email" is not null;