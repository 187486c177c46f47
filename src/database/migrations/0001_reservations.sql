CREATE TABLE "idempotency_keys" (
	"application_id" text NOT NULL,
	"key" text NOT NULL,
	"body_hash" text NOT NULL,
	"reservation_id" text NOT NULL,
	"answer" text,
	"created_at" timestamp with time zone NOT NULL,
	CONSTRAINT "idempotency_keys_application_id_key_pk" PRIMARY KEY("application_id","key")
);
--> statement-breakpoint
CREATE TABLE "reservation_events" (
	"reservation_id" text NOT NULL,
	"version" integer NOT NULL,
	"from_state" text,
	"to_state" text NOT NULL,
	"at" timestamp with time zone NOT NULL,
	"actor" text NOT NULL,
	"reason" text NOT NULL,
	CONSTRAINT "reservation_events_reservation_id_version_pk" PRIMARY KEY("reservation_id","version")
);
--> statement-breakpoint
CREATE TABLE "reservation_transitions" (
	"from_state" text NOT NULL,
	"to_state" text NOT NULL,
	CONSTRAINT "reservation_transitions_from_state_to_state_pk" PRIMARY KEY("from_state","to_state")
);
--> statement-breakpoint
CREATE TABLE "reservations" (
	"id" text PRIMARY KEY NOT NULL,
	"application_id" text NOT NULL,
	"supplier" text NOT NULL,
	"state" text NOT NULL,
	"state_reason" text NOT NULL,
	"state_actor" text NOT NULL,
	"version" integer NOT NULL,
	"confirmation_number" text,
	"client_reference" text,
	"rental" json NOT NULL,
	"view" json NOT NULL,
	"personal" text,
	"change" text,
	"payment" json NOT NULL,
	"price_drift" json,
	"cancellation" json,
	"sent_until" timestamp with time zone NOT NULL,
	"next_check_at" timestamp with time zone,
	"checks" integer DEFAULT 0 NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"updated_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "idempotency_keys" ADD CONSTRAINT "idempotency_keys_reservation_id_reservations_id_fk" FOREIGN KEY ("reservation_id") REFERENCES "public"."reservations"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "reservation_events" ADD CONSTRAINT "reservation_events_reservation_id_reservations_id_fk" FOREIGN KEY ("reservation_id") REFERENCES "public"."reservations"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "reservations" ADD CONSTRAINT "reservations_application_id_applications_id_fk" FOREIGN KEY ("application_id") REFERENCES "public"."applications"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "idempotency_keys_created" ON "idempotency_keys" USING btree ("created_at");--> statement-breakpoint
CREATE UNIQUE INDEX "reservations_confirmation" ON "reservations" USING btree ("confirmation_number","supplier");--> statement-breakpoint
CREATE INDEX "reservations_due" ON "reservations" USING btree ("next_check_at") WHERE "reservations"."next_check_at" is not null;--> statement-breakpoint
CREATE INDEX "reservations_unclear" ON "reservations" USING btree ("state") WHERE "reservations"."state" in ('unknown', 'cancel_unknown', 'manual_review');