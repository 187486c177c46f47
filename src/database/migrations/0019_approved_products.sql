-- In production, applications have the products that an operator approved. If the first change of a subscription was that it began,
-- its developer began it.
WITH "ended" AS (
	DELETE FROM "subscriptions" s USING "applications" a
	WHERE a."id" = s."application_id" AND a."environment" = 'production' AND (
		SELECT e."action" FROM "audit_events" e
		WHERE e."subject" = a."id" AND e."action" IN ('product_subscribed', 'product_unsubscribed')
			AND coalesce(e."after" ->> 'product', e."before" ->> 'product') = s."product_id"
		ORDER BY e."id" LIMIT 1) = 'product_subscribed'
	RETURNING s.*)
INSERT INTO "audit_events" ("actor", "action", "subject", "before")
SELECT 'system', 'product_unsubscribed', "application_id", json_build_object('product', "product_id", 'since', "created_at") FROM "ended";
