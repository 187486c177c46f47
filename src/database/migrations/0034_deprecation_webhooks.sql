CREATE TRIGGER "deprecation_webhooks" AFTER UPDATE ON "product_versions" FOR EACH ROW WHEN (NEW.state = 'deprecated' AND OLD.state <> 'deprecated') EXECUTE FUNCTION "record_deprecation_webhooks"();
