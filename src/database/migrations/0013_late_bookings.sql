ALTER TABLE "reservations" ADD COLUMN "strays" json;--> statement-breakpoint
CREATE INDEX "reservations_strays" ON "reservations" USING btree ("supplier") WHERE "reservations"."strays" is not null;--> statement-breakpoint
-- A failed booking that the supplier shows later, one that is gone with its supplier, and one that an operator cancels.
INSERT INTO "reservation_transitions" ("from_state", "to_state") VALUES
	('failed', 'confirmed'), ('failed', 'manual_review'), ('failed', 'cancel_unknown'),
	('manual_review', 'cancel_unknown'), ('on_request', 'manual_review'), ('confirmed', 'manual_review');
