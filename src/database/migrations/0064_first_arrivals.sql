-- Events that were recorded before 0063. Endpoints may be named twice.
INSERT INTO webhook_arrivals (environment, endpoint_id) SELECT DISTINCT environment, endpoint_id FROM webhook_deliveries WHERE state = 'pending';--> statement-breakpoint
CREATE TRIGGER "application_resumed_webhooks" AFTER UPDATE ON "applications" FOR EACH ROW WHEN (NEW.state = 'active' AND OLD.state <> 'active') EXECUTE FUNCTION "record_application_arrivals"();
