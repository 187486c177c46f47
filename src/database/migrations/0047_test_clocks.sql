CREATE TABLE "test_clocks" (
	"application_id" text PRIMARY KEY NOT NULL,
	"environment" text DEFAULT 'sandbox' NOT NULL,
	"ahead_ms" bigint NOT NULL,
	"outcome" text NOT NULL,
	"moved_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "test_clocks_sandbox" CHECK ("test_clocks"."environment" = 'sandbox')
);
--> statement-breakpoint
ALTER TABLE "test_clocks" ADD CONSTRAINT "test_clocks_application" FOREIGN KEY ("application_id","environment") REFERENCES "public"."applications"("id","environment") ON DELETE no action ON UPDATE no action;
--> statement-breakpoint
-- The events of one change of a reservation, in order (src/webhooks/event-types.ts). Empty = the change is no event.
CREATE OR REPLACE FUNCTION "reservation_event_types"(before_state text, after_state text, reason text, is_drifted boolean, has_strays boolean) RETURNS text[] LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
	types text[] := '{}';
	outcome text;
BEGIN
	IF before_state IS NULL THEN
		RETURN ARRAY['reservation.created'];
	END IF;
	IF before_state = 'manual_review' AND after_state <> 'manual_review' THEN
		types := array_append(types, 'reservation.review_resolved');
	END IF;
	IF has_strays OR (before_state = 'failed' AND after_state IN ('confirmed', 'manual_review', 'cancel_unknown')) THEN
		types := array_append(types, 'reservation.late_booking_found');
	END IF;
	IF before_state <> after_state THEN
		outcome := CASE
			WHEN after_state = 'manual_review' THEN 'reservation.review_opened'
			WHEN after_state IN ('confirmed', 'on_request') AND before_state IN ('cancel_pending', 'cancel_unknown') THEN 'reservation.cancellation_refused'
			WHEN after_state = 'confirmed' AND reason LIKE 'changed: %' THEN 'reservation.changed'
			WHEN after_state = 'confirmed' AND reason LIKE 'change refused: %' THEN 'reservation.change_refused'
			WHEN after_state IN ('confirmed', 'on_request', 'rejected', 'expired', 'cancelled', 'failed', 'completed', 'no_show') THEN 'reservation.' || after_state
		END;
	END IF;
	IF outcome IS NOT NULL THEN
		types := array_append(types, outcome);
	END IF;
	IF is_drifted THEN
		types := array_append(types, 'reservation.price_drift');
	END IF;
	RETURN types;
END
$$;
