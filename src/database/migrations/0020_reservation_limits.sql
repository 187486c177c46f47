ALTER TABLE "reservations" ADD COLUMN "account_id" text;--> statement-breakpoint
CREATE INDEX "reservations_open" ON "reservations" USING btree ("account_id","supplier","state") WHERE "reservations"."state" in ('pending', 'unknown', 'cancel_unknown', 'on_request');
