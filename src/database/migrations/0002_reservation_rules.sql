-- The transition table of src/reservations/states.ts; a test compares the two.
INSERT INTO "reservation_transitions" ("from_state", "to_state") VALUES
	('pending', 'confirmed'), ('pending', 'on_request'), ('pending', 'failed'), ('pending', 'unknown'),
	('unknown', 'confirmed'), ('unknown', 'on_request'), ('unknown', 'failed'), ('unknown', 'manual_review'),
	('manual_review', 'confirmed'), ('manual_review', 'failed'), ('manual_review', 'cancelled'),
	('on_request', 'confirmed'), ('on_request', 'rejected'), ('on_request', 'cancel_pending'), ('on_request', 'expired'),
	('confirmed', 'modify_pending'), ('confirmed', 'cancel_pending'), ('confirmed', 'completed'), ('confirmed', 'no_show'),
	('modify_pending', 'confirmed'), ('modify_pending', 'unknown'),
	('cancel_pending', 'cancelled'), ('cancel_pending', 'confirmed'), ('cancel_pending', 'on_request'), ('cancel_pending', 'cancel_unknown'),
	('cancel_unknown', 'cancelled'), ('cancel_unknown', 'confirmed'), ('cancel_unknown', 'on_request'), ('cancel_unknown', 'manual_review');
--> statement-breakpoint
-- A reservation begins as pending version 1; each change raises the version by one; a change of state must stand in the table. Whatever
-- passes is written into the history in the same transaction.
CREATE FUNCTION "record_reservation_change"() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
	before_state text;
BEGIN
	IF TG_OP = 'INSERT' THEN
		IF NEW.state <> 'pending' OR NEW.version <> 1 THEN
			RAISE EXCEPTION 'a reservation begins as pending, version 1' USING ERRCODE = 'check_violation';
		END IF;
	ELSE
		IF NEW.version = OLD.version AND NEW.state = OLD.state THEN
			RETURN NULL;
		END IF;
		IF NEW.version <> OLD.version + 1 THEN
			RAISE EXCEPTION 'version % of reservation % cannot follow version %', NEW.version, NEW.id, OLD.version USING ERRCODE = 'check_violation';
		END IF;
		IF NEW.state <> OLD.state AND NOT EXISTS (
			SELECT 1 FROM reservation_transitions t WHERE t.from_state = OLD.state AND t.to_state = NEW.state
		) THEN
			RAISE EXCEPTION 'reservation % cannot go from % to %', NEW.id, OLD.state, NEW.state USING ERRCODE = 'check_violation';
		END IF;
		before_state := OLD.state;
	END IF;
	INSERT INTO reservation_events (reservation_id, version, from_state, to_state, at, actor, reason)
	VALUES (NEW.id, NEW.version, before_state, NEW.state, NEW.updated_at, NEW.state_actor, NEW.state_reason);
	RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE TRIGGER "reservation_change" AFTER INSERT OR UPDATE ON "reservations" FOR EACH ROW EXECUTE FUNCTION "record_reservation_change"();
