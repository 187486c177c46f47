CREATE TABLE "webhook_deliveries" (
	"id" bigserial PRIMARY KEY NOT NULL,
	"environment" text NOT NULL,
	"application_id" text NOT NULL,
	"endpoint_id" text NOT NULL,
	"event_id" text NOT NULL,
	"type" text NOT NULL,
	"subject" text NOT NULL,
	"at" timestamp with time zone NOT NULL,
	"data" json NOT NULL,
	"state" text DEFAULT 'pending' NOT NULL,
	"attempts" integer DEFAULT 0 NOT NULL,
	"due_since" timestamp with time zone DEFAULT now() NOT NULL,
	"next_at" timestamp with time zone DEFAULT now() NOT NULL,
	"last_status" integer,
	"last_error" text,
	"last_ms" integer,
	"last_at" timestamp with time zone,
	CONSTRAINT "webhook_deliveries_event" UNIQUE("endpoint_id","event_id")
);
--> statement-breakpoint
CREATE TABLE "webhook_endpoints" (
	"id" text PRIMARY KEY NOT NULL,
	"environment" text NOT NULL,
	"account_id" text NOT NULL,
	"application_id" text NOT NULL,
	"url" text NOT NULL,
	"description" text DEFAULT '' NOT NULL,
	"events" text[],
	"state" text DEFAULT 'active' NOT NULL,
	"secret" text NOT NULL,
	"previous_secret" text,
	"previous_until" timestamp with time zone,
	"leased_until" timestamp with time zone,
	"served_at" timestamp with time zone,
	"failures" integer DEFAULT 0 NOT NULL,
	"failing_since" timestamp with time zone,
	"resume_at" timestamp with time zone,
	"is_slow" boolean DEFAULT true NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE INDEX "webhook_deliveries_due" ON "webhook_deliveries" USING btree ("environment","endpoint_id","id") WHERE "webhook_deliveries"."state" = 'pending';--> statement-breakpoint
CREATE INDEX "webhook_deliveries_subject" ON "webhook_deliveries" USING btree ("endpoint_id","subject","id") WHERE "webhook_deliveries"."state" = 'pending';--> statement-breakpoint
CREATE INDEX "webhook_deliveries_endpoint" ON "webhook_deliveries" USING btree ("endpoint_id","id");--> statement-breakpoint
CREATE INDEX "webhook_deliveries_application" ON "webhook_deliveries" USING btree ("application_id","id");--> statement-breakpoint
CREATE INDEX "webhook_deliveries_kept" ON "webhook_deliveries" USING btree ("environment","at");--> statement-breakpoint
CREATE UNIQUE INDEX "webhook_endpoints_url" ON "webhook_endpoints" USING btree ("application_id","url");--> statement-breakpoint
-- The events of one change of a reservation, in order (src/webhooks/event-types.ts). Empty = the change is no event.
CREATE FUNCTION "reservation_event_types"(before_state text, after_state text, reason text, is_drifted boolean, has_strays boolean) RETURNS text[] LANGUAGE plpgsql IMMUTABLE AS $$
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
			WHEN after_state IN ('confirmed', 'on_request', 'rejected', 'expired', 'cancelled', 'failed') THEN 'reservation.' || after_state
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
--> statement-breakpoint
-- Writes the events of a change for the endpoints of its application, in the transaction of the change. Without an endpoint,
-- that is one look into an index.
CREATE FUNCTION "record_reservation_webhooks"() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
	types text[];
	before_state text;
	is_drifted boolean := false;
	has_strays boolean := false;
BEGIN
	IF NOT EXISTS (SELECT 1 FROM webhook_endpoints e WHERE e.application_id = NEW.application_id AND e.state <> 'disabled') THEN
		RETURN NULL;
	END IF;
	IF TG_OP = 'UPDATE' THEN
		before_state := OLD.state;
		is_drifted := NEW.price_drift IS NOT NULL AND NEW.price_drift::text IS DISTINCT FROM OLD.price_drift::text;
		has_strays := NEW.strays IS NOT NULL AND OLD.strays IS NULL;
	END IF;
	types := reservation_event_types(before_state, NEW.state, NEW.state_reason, is_drifted, has_strays);
	INSERT INTO webhook_deliveries (environment, application_id, endpoint_id, event_id, type, subject, at, data)
	SELECT NEW.environment, NEW.application_id, e.id,
		'evt_' || substr(encode(sha256(convert_to(NEW.id || ':' || NEW.version || ':' || t.type, 'UTF8')), 'hex'), 1, 32),
		t.type, NEW.id, NEW.updated_at,
		json_build_object('reservationId', NEW.id, 'version', NEW.version, 'supplier', NEW.supplier, 'state', NEW.state, 'before', before_state,
			'pickupDate', NEW.rental ->> 'pickupDate', 'dropoffDate', NEW.rental ->> 'dropoffDate', 'total', NEW.rental -> 'total', 'priceDrift', NEW.price_drift)
	FROM unnest(types) WITH ORDINALITY AS t(type, place), webhook_endpoints e
	WHERE e.application_id = NEW.application_id AND e.state <> 'disabled' AND (e.events IS NULL OR t.type = ANY (e.events))
	ORDER BY t.place
	ON CONFLICT DO NOTHING;
	RETURN NULL;
END
$$;
--> statement-breakpoint
-- Writes an event for the endpoints of all subscribers of a version that becomes deprecated.
CREATE FUNCTION "record_deprecation_webhooks"() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
	version text := 'v' || NEW.major || CASE WHEN NEW.patch > 0 THEN '.' || NEW.minor || '.' || NEW.patch WHEN NEW.minor > 0 THEN '.' || NEW.minor ELSE '' END;
BEGIN
	INSERT INTO webhook_deliveries (environment, application_id, endpoint_id, event_id, type, subject, at, data)
	SELECT e.environment, e.application_id, e.id,
		'evt_' || substr(encode(sha256(convert_to(NEW.product_id || ':' || version || ':' || e.application_id, 'UTF8')), 'hex'), 1, 32),
		'product.deprecated', NEW.product_id, NEW.deprecated_at,
		json_build_object('productId', NEW.product_id, 'productVersion', version, 'deprecatedAt', NEW.deprecated_at, 'sunsetAt', NEW.sunset_at)
	FROM subscriptions s JOIN webhook_endpoints e ON e.application_id = s.application_id
	WHERE s.product_id = NEW.product_id AND e.state <> 'disabled' AND (e.events IS NULL OR 'product.deprecated' = ANY (e.events))
	ON CONFLICT DO NOTHING;
	RETURN NULL;
END
$$;
