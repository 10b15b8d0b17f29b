-- What people and operators did that matters for security. The application adds
-- rows and reads them; it cannot change one, and deletes by purge_audit_events
-- alone. No foreign keys: the trail outlives what it tells of.
CREATE TABLE audit_events (
    id         text NOT NULL PRIMARY KEY,
    sequence   bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
    user_id    text CHECK (length(user_id) <= 64),
    type       text NOT NULL CHECK (length(type) <= 64),
    method     text CHECK (length(method) <= 64),
    door       text CHECK (length(door) <= 64),
    address    text CHECK (length(address) <= 64),
    subject    text CHECK (length(subject) <= 512),
    detail     text CHECK (length(detail) <= 512),
    request_id text CHECK (length(request_id) <= 128),
    created_at timestamptz NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX audit_events_by_user ON audit_events (user_id, sequence);
-- How many of a type an account has on one day is counted for each new one.
CREATE INDEX audit_events_by_type ON audit_events (type, user_id, created_at);
CREATE INDEX audit_events_by_time ON audit_events (created_at);

-- Deletes up to most of the rows that are older than keep, and returns how many. A
-- day is always kept, so that who takes the application over cannot wipe it.
CREATE FUNCTION purge_audit_events(keep interval, most integer) RETURNS bigint
LANGUAGE sql SECURITY DEFINER
AS $$
    WITH purged AS (
        DELETE FROM audit_events WHERE id IN (
            SELECT id FROM audit_events WHERE created_at < now() - greatest(keep, interval '1 day')
            ORDER BY created_at LIMIT most
        ) RETURNING 1
    ) SELECT count(*) FROM purged
$$;

-- As for rebuild_queue_indexes: no name is looked for in a schema of the caller's.
DO $$ BEGIN
    EXECUTE format('ALTER FUNCTION purge_audit_events(interval, integer) SET search_path = %I, pg_temp', current_schema());
END $$;
REVOKE ALL ON FUNCTION purge_audit_events(interval, integer) FROM PUBLIC;
