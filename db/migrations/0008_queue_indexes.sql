-- River rebuilds the indexes of its table once a day, which only the owner of the
-- table may. The application calls this instead. It gives up where the table is busy
-- for two seconds: a day later is soon enough.
CREATE FUNCTION rebuild_queue_indexes() RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET lock_timeout = '2s'
AS $$ BEGIN REINDEX TABLE river_job; END $$;

-- A function with the rights of its owner looks for names in its own schema alone:
-- in a schema of the caller's it would run what the caller put there.
DO $$ BEGIN
    EXECUTE format('ALTER FUNCTION rebuild_queue_indexes() SET search_path = %I, pg_temp', current_schema());
END $$;
REVOKE ALL ON FUNCTION rebuild_queue_indexes() FROM PUBLIC;
