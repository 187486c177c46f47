CREATE TABLE "webhook_arrivals" (
	"environment" text NOT NULL,
	"id" bigserial NOT NULL,
	"endpoint_id" text NOT NULL,
	CONSTRAINT "webhook_arrivals_environment_id_pk" PRIMARY KEY("environment","id")
);
--> statement-breakpoint
CREATE FUNCTION "record_webhook_arrival"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	INSERT INTO webhook_arrivals (environment, endpoint_id) VALUES (NEW.environment, NEW.endpoint_id);
	RETURN NULL;
END
$$;--> statement-breakpoint
CREATE FUNCTION "record_application_arrivals"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	INSERT INTO webhook_arrivals (environment, endpoint_id) SELECT environment, id FROM webhook_endpoints WHERE application_id = NEW.id;
	RETURN NULL;
END
$$;
