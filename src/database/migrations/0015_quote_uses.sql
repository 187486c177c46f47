ALTER TABLE "reservations" ADD COLUMN "quote_digest" text;--> statement-breakpoint
CREATE UNIQUE INDEX "reservations_quote" ON "reservations" USING btree ("quote_digest","environment");