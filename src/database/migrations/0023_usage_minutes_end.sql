DO $$
BEGIN
	EXECUTE format('ALTER TABLE "usage_minutes" ADD CONSTRAINT "usage_minutes_end" CHECK ("minute" < %L) NOT VALID',
		(date_trunc('month', now() AT TIME ZONE 'UTC' + interval '8 days') + interval '1 month') AT TIME ZONE 'UTC');
END
$$;
