-- The attempt that stores an object as the result of its job. The upload that the result replaces
-- counts already, so the result does not count while the attempt may complete the job. It counts
-- when the attempt can no longer do so and has left the object behind: another attempt has started,
-- the job has ended or waits again, or its worker is dead. Then db.RescueJobs clears the columns.
ALTER TABLE removals
    ADD COLUMN job_id  text,
    ADD COLUMN attempt integer;
CREATE INDEX removals_jobs ON removals (job_id) WHERE job_id IS NOT NULL;

CREATE OR REPLACE FUNCTION storage_of(account text) RETURNS TABLE (used bigint, promised bigint)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 1 AS $$
    SELECT
        files.bytes + processing.bytes + given_up.bytes + json.bytes + history.bytes,
        pending.bytes + json.spare
    FROM
        (SELECT coalesce(sum(size + derived_bytes), 0)::bigint AS bytes FROM files WHERE user_id = account) AS files,
        -- A file that a job works on is there already.
        (SELECT coalesce(sum(size), 0)::bigint AS bytes FROM uploads
            WHERE user_id = account AND state = 'processing') AS processing,
        -- The subquery returns one value, so it always uses the primary key of jobs.
        (SELECT coalesce(sum(bytes), 0)::bigint AS bytes FROM removals
            WHERE user_id = account AND bytes > 0 AND (
                SELECT jobs.status = 'processing' AND jobs.attempt = removals.attempt
                FROM jobs WHERE jobs.id = removals.job_id) IS NOT TRUE) AS given_up,
        (SELECT coalesce(sum(size), 0)::bigint AS bytes FROM uploads
            WHERE user_id = account AND state = 'pending' AND (expires_at > now() OR held_until > now())) AS pending,
        (SELECT coalesce(sum(bytes), 0)::bigint AS bytes, coalesce(sum(granted - bytes), 0)::bigint AS spare
            FROM json_usage WHERE user_id = account) AS json,
        (SELECT coalesce(sum(bytes), 0)::bigint AS bytes FROM history_usage WHERE user_id = account) AS history
$$;
