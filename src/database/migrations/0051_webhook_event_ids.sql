-- The id of an event includes when the reservation changed: a database that was restored repeats versions, and receivers ignore ids that they know.
CREATE OR REPLACE FUNCTION "record_reservation_webhooks"() RETURNS trigger LANGUAGE plpgsql AS $$
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
		'evt_' || substr(encode(sha256(convert_to(NEW.id || ':' || NEW.version || ':' || extract(epoch FROM NEW.updated_at) || ':' || t.type, 'UTF8')), 'hex'), 1, 32),
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
