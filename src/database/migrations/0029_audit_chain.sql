CREATE TABLE "audit_checkpoints" (
	"environment" text NOT NULL,
	"sequence" bigint NOT NULL,
	"hash" text NOT NULL,
	"signature" text NOT NULL,
	"at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "audit_checkpoints_environment_sequence_pk" PRIMARY KEY("environment","sequence")
);
--> statement-breakpoint
CREATE TABLE "audit_seals" (
	"sequence" bigint PRIMARY KEY NOT NULL,
	"event_id" bigint NOT NULL,
	"contents" text NOT NULL,
	"origin" text NOT NULL,
	"hash" text NOT NULL,
	CONSTRAINT "audit_seals_event_id_unique" UNIQUE("event_id")
);
--> statement-breakpoint
-- One statement: the defaults of the salts rewrite the table, once.
ALTER TABLE "audit_events" ADD COLUMN "environment" text, ADD COLUMN "channel" text, ADD COLUMN "agent" text, ADD COLUMN "subject_kind" text,
	ADD COLUMN "address" text, ADD COLUMN "address_salt" text DEFAULT gen_random_uuid()::text, ADD COLUMN "request_id" text,
	ADD COLUMN "reason" text, ADD COLUMN "salt" text DEFAULT gen_random_uuid()::text;
--> statement-breakpoint
-- SHA-256 of a JSON array of texts without spaces, in hexadecimal; src/database/audit-chain.ts computes the same.
CREATE FUNCTION "audit_digest"(parts text[]) RETURNS text LANGUAGE sql IMMUTABLE AS $$
	SELECT encode(sha256(convert_to(array_to_json(parts)::text, 'UTF8')), 'hex')
$$;
--> statement-breakpoint
-- Adds an event to the chain. Whoever adds one waits for the transaction that added the one before.
CREATE FUNCTION "seal_audit_event"(event bigint) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
	own audit_events;
	previous audit_seals;
	next bigint;
	own_contents text;
	own_origin text;
BEGIN
	PERFORM pg_advisory_xact_lock(20260, 50);
	SELECT * INTO STRICT own FROM audit_events WHERE id = event;
	SELECT * INTO previous FROM audit_seals ORDER BY sequence DESC LIMIT 1;
	next := coalesce(previous.sequence, 0) + 1;
	own_contents := audit_digest(ARRAY[own.salt, own.before::text, own.after::text, own.reason]);
	own_origin := audit_digest(ARRAY[own.address_salt, own.address]);
	INSERT INTO audit_seals (sequence, event_id, contents, origin, hash) VALUES (next, own.id, own_contents, own_origin, audit_digest(ARRAY[
		previous.hash, next::text, own.id::text, to_char(own.at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'), own.environment, own.actor,
		own.channel, own.agent, own.action, own.subject_kind, own.subject, own.request_id, own_contents, own_origin]));
END
$$;
--> statement-breakpoint
CREATE FUNCTION "seal_added_audit_event"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	PERFORM seal_audit_event(NEW.id);
	RETURN NULL;
END
$$;
--> statement-breakpoint
-- What earlier versions recorded.
SELECT count(seal_audit_event(e.id)) FROM (SELECT id FROM "audit_events" ORDER BY id) e;
--> statement-breakpoint
-- Deferred to the commit, so that the lock is the last one that a transaction takes, and held only while it commits.
CREATE CONSTRAINT TRIGGER "audit_event_sealed" AFTER INSERT ON "audit_events" DEFERRABLE INITIALLY DEFERRED
	FOR EACH ROW EXECUTE FUNCTION "seal_added_audit_event"();
--> statement-breakpoint
-- The only allowed change is an erasure: of before, after and reason, or of the address, each with its salt.
CREATE FUNCTION "keep_audit_event"() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
	erased audit_events := OLD;
BEGIN
	IF OLD.address_salt IS NOT NULL AND NEW.address_salt IS NULL THEN
		erased.address := NULL;
		erased.address_salt := NULL;
	ELSE
		NEW.reason := NULL;
		NEW.salt := NULL;
		erased.before := NULL;
		erased.after := NULL;
		erased.reason := NULL;
		erased.salt := NULL;
	END IF;
	IF erased::text <> NEW::text THEN
		RAISE EXCEPTION 'rows of audit_events are not changed' USING ERRCODE = 'check_violation';
	END IF;
	RETURN NEW;
END
$$;
--> statement-breakpoint
CREATE FUNCTION "keep_audit_rows"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	RAISE EXCEPTION 'rows of % are neither changed nor deleted', TG_TABLE_NAME USING ERRCODE = 'check_violation';
END
$$;
--> statement-breakpoint
CREATE TRIGGER "audit_events_kept" BEFORE UPDATE ON "audit_events" FOR EACH ROW EXECUTE FUNCTION "keep_audit_event"();--> statement-breakpoint
CREATE TRIGGER "audit_events_stay" BEFORE DELETE OR TRUNCATE ON "audit_events" FOR EACH STATEMENT EXECUTE FUNCTION "keep_audit_rows"();--> statement-breakpoint
CREATE TRIGGER "audit_seals_stay" BEFORE UPDATE OR DELETE OR TRUNCATE ON "audit_seals" FOR EACH STATEMENT EXECUTE FUNCTION "keep_audit_rows"();--> statement-breakpoint
CREATE TRIGGER "audit_checkpoints_stay" BEFORE UPDATE OR DELETE OR TRUNCATE ON "audit_checkpoints" FOR EACH STATEMENT EXECUTE FUNCTION "keep_audit_rows"();
