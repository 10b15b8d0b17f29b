-- Bytes count for their owner until they are gone from the store, also those that
-- no row speaks for any more. sweep_at is when the object is to be deleted before it
-- is due, which is when no more bytes can come.
ALTER TABLE removals
    ADD COLUMN user_id  text REFERENCES users ON DELETE SET NULL,
    ADD COLUMN bytes    bigint NOT NULL DEFAULT 0 CHECK (bytes >= 0),
    ADD COLUMN sweep_at timestamptz;
CREATE INDEX removals_held ON removals (user_id) INCLUDE (bytes) WHERE bytes > 0;
CREATE INDEX removals_sweep ON removals (sweep_at) WHERE sweep_at IS NOT NULL;

-- A pending upload counts until its URL has expired, and for longer where its bytes
-- came or still come. look_at is when the store is asked next whether they came.
ALTER TABLE uploads
    ADD COLUMN held_until timestamptz,
    ADD COLUMN look_at    timestamptz;

-- As before, with what is held.
CREATE OR REPLACE FUNCTION storage_of(account text, OUT used bigint, OUT promised bigint)
LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT
        files.bytes + processing.bytes + given_up.bytes + json.bytes,
        pending.bytes + json.spare
    FROM
        (SELECT coalesce(sum(size + derived_bytes), 0)::bigint AS bytes FROM files WHERE user_id = account) AS files,
        -- A file that a job works on is there already.
        (SELECT coalesce(sum(size), 0)::bigint AS bytes FROM uploads
            WHERE user_id = account AND state = 'processing') AS processing,
        (SELECT coalesce(sum(bytes), 0)::bigint AS bytes FROM removals
            WHERE user_id = account AND bytes > 0) AS given_up,
        (SELECT coalesce(sum(size), 0)::bigint AS bytes FROM uploads
            WHERE user_id = account AND state = 'pending' AND (expires_at > now() OR held_until > now())) AS pending,
        (SELECT coalesce(sum(bytes), 0)::bigint AS bytes, coalesce(sum(granted - bytes), 0)::bigint AS spare
            FROM json_usage WHERE user_id = account) AS json
$$;
