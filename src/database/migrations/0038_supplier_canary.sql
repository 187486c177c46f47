ALTER TABLE "supplier_states" ADD COLUMN "percent" integer;--> statement-breakpoint
ALTER TABLE "supplier_states" ADD COLUMN "returned_for" text;