-- count_json waited for the row of an account while it held a part of the account's sum: an
-- UPDATE that waits for a row keeps it locked when its condition has become false meanwhile.
-- A second connection with the same part could hold the account and wait for the part. Both
-- failed with a deadlock.
--
-- The order of locks is now: a part of the sum, then the account. A transaction that locks
-- the account must not write JSON of the account afterwards.
CREATE OR REPLACE FUNCTION count_json(account text, change bigint) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    mine  smallint := pg_backend_pid() % 32;
    room  bigint;  -- free for this part
    spare bigint := 0;
BEGIN
    IF change <= 0 THEN
        INSERT INTO json_usage AS u SELECT id, mine, change, change FROM users WHERE id = account
        ON CONFLICT (user_id, part) DO UPDATE SET bytes = u.bytes + change, granted = u.granted + change;
        RETURN;
    END IF;
    UPDATE json_usage SET bytes = bytes + change
    WHERE user_id = account AND part = mine AND bytes + change <= granted;
    IF FOUND THEN
        RETURN;
    END IF;
    -- Locks the part, which may be locked already, and adds a missing one.
    INSERT INTO json_usage AS u SELECT id, mine, 0, 0 FROM users WHERE id = account
    ON CONFLICT (user_id, part) DO UPDATE SET bytes = u.bytes;
    IF NOT FOUND THEN
        RETURN;
    END IF;
    PERFORM FROM users WHERE id = account FOR NO KEY UPDATE;
    -- A statement of its own: it sees what was committed while the one before it waited.
    SELECT quota - s.used - s.promised + own.granted - own.bytes
    INTO room FROM users, storage_of(account) AS s, json_usage AS own
    WHERE users.id = account AND own.user_id = account AND own.part = mine;
    IF change > room THEN
        RAISE EXCEPTION 'storage quota exceeded' USING ERRCODE = 'PQ507';
    END IF;
    -- Where there is much room, the next writes need not look again. All parts
    -- together set aside 2 MiB at most.
    IF room > 268435456 THEN
        spare := 65536;
    END IF;
    UPDATE json_usage SET bytes = bytes + change, granted = bytes + change + spare
    WHERE user_id = account AND part = mine;
END
$$;
