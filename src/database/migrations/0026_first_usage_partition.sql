DO $$
BEGIN
	EXECUTE format('ALTER TABLE "usage_counters" ATTACH PARTITION "usage_minutes" FOR VALUES FROM (MINVALUE) TO (%L)',
		(SELECT substring(pg_get_constraintdef(oid) FROM '''([^'']+)''') FROM pg_constraint
			WHERE conrelid = 'usage_minutes'::regclass AND conname = 'usage_minutes_end'));
	ALTER TABLE "usage_minutes" DROP CONSTRAINT "usage_minutes_end";
END
$$;
