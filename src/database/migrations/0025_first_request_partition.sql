-- The validated constraint spares the reading of the rows.
DO $$
BEGIN
	EXECUTE format('ALTER TABLE "request_log" ATTACH PARTITION "request_records" FOR VALUES FROM (MINVALUE) TO (%L)',
		(SELECT substring(pg_get_constraintdef(oid) FROM '''([^'']+)''') FROM pg_constraint
			WHERE conrelid = 'request_records'::regclass AND conname = 'request_records_end'));
	ALTER TABLE "request_records" DROP CONSTRAINT "request_records_end";
END
$$;
