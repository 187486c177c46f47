-- The tables of the previous version become the first partitions. They end a week or more from now: until then, gateways of both
-- versions read and write the same rows. The constraint is checked for new rows now, and for all others without blocking in 0025.
-- Each table has migrations of its own, so that none locks two tables.
DO $$
BEGIN
	EXECUTE format('ALTER TABLE "request_records" ADD CONSTRAINT "request_records_end" CHECK ("at" < %L) NOT VALID',
		(date_trunc('day', now() AT TIME ZONE 'UTC') + interval '8 days') AT TIME ZONE 'UTC');
END
$$;
