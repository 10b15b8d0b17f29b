-- Postgres plans a function like storage_of anew with each call, which took 0.5 ms of each
-- upload and of each entity of an account without much room left. A function that returns a
-- table becomes part of the statement that calls it, and is planned with it.
DROP FUNCTION storage_of(text);
CREATE FUNCTION storage_of(account text) RETURNS TABLE (used bigint, promised bigint)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 1 AS $$
    SELECT
        files.bytes + processing.bytes + given_up.bytes + json.bytes + history.bytes,
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
            FROM json_usage WHERE user_id = account) AS json,
        (SELECT coalesce(sum(bytes), 0)::bigint AS bytes FROM history_usage WHERE user_id = account) AS history
$$;
