CREATE TRIGGER "reservation_created_webhooks" AFTER INSERT ON "reservations" FOR EACH ROW EXECUTE FUNCTION "record_reservation_webhooks"();--> statement-breakpoint
CREATE TRIGGER "reservation_changed_webhooks" AFTER UPDATE ON "reservations" FOR EACH ROW WHEN (OLD.version <> NEW.version) EXECUTE FUNCTION "record_reservation_webhooks"();
