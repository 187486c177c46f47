CREATE TRIGGER "webhook_delivery_added" AFTER INSERT ON "webhook_deliveries" FOR EACH ROW WHEN (NEW.state = 'pending') EXECUTE FUNCTION "record_webhook_arrival"();--> statement-breakpoint
-- A failed attempt makes an event due later; a replay and an endpoint that is active again make events due now.
CREATE TRIGGER "webhook_delivery_due" AFTER UPDATE ON "webhook_deliveries" FOR EACH ROW WHEN (NEW.state = 'pending' AND NEW.next_at <= now()) EXECUTE FUNCTION "record_webhook_arrival"();
