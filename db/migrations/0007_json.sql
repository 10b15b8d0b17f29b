-- JSON that clients keep counts as storage. Each row knows how many bytes its
-- JSON has as text, which is how it is answered: numbers and spaces included.
ALTER TABLE entities ADD COLUMN bytes integer NOT NULL
    GENERATED ALWAYS AS (octet_length(data::text) + octet_length(state::text)) STORED;
ALTER TABLE spaces ADD COLUMN bytes integer NOT NULL
    GENERATED ALWAYS AS (octet_length(data::text)) STORED;

-- Larger ones from before stay, and can only shrink.
ALTER TABLE entities ADD CONSTRAINT entities_bytes CHECK (bytes <= 1048576) NOT VALID;
ALTER TABLE spaces ADD CONSTRAINT spaces_bytes CHECK (bytes <= 1048576) NOT VALID;

-- What a row counts for: whole units of 256 bytes, about what a row without
-- fields takes. Most updates stay within their unit, and count nothing.
CREATE FUNCTION counted_bytes(bytes integer) RETURNS bigint
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN greatest(1, (bytes + 255) / 256)::bigint * 256;

-- The sum for each account, in parts: each connection to the database has its
-- own, so that writers at the same time do not wait for each other. A part may
-- grow up to what it was granted without a look at the quota; what is granted
-- counts as taken. Parts of one account may be negative, their sum is not.
CREATE TABLE json_usage (
    user_id text NOT NULL REFERENCES users ON DELETE CASCADE,
    part    smallint NOT NULL,
    bytes   bigint NOT NULL,
    granted bigint NOT NULL,
    PRIMARY KEY (user_id, part)
) WITH (fillfactor = 50);

-- What an account has used and was promised, in bytes: the one sum that every
-- check of the quota is made by.
CREATE FUNCTION storage_of(account text, OUT used bigint, OUT promised bigint)
LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT
        files.bytes + processing.bytes + json.bytes,
        pending.bytes + json.spare
    FROM
        (SELECT coalesce(sum(size + derived_bytes), 0)::bigint AS bytes FROM files WHERE user_id = account) AS files,
        -- A file that a job works on is there already.
        (SELECT coalesce(sum(size), 0)::bigint AS bytes FROM uploads
            WHERE user_id = account AND state = 'processing') AS processing,
        (SELECT coalesce(sum(size), 0)::bigint AS bytes FROM uploads
            WHERE user_id = account AND state = 'pending' AND expires_at > now()) AS pending,
        (SELECT coalesce(sum(bytes), 0)::bigint AS bytes, coalesce(sum(granted - bytes), 0)::bigint AS spare
            FROM json_usage WHERE user_id = account) AS json
$$;

-- Counts bytes more or fewer for an account, in the transaction that writes
-- them; PQ507 where its quota has no room for them. Nothing is counted for an
-- account that is being deleted.
--
-- Locks are taken in one order, the account before a part of its sum. So a
-- transaction that counts twice must lock the account first.
CREATE FUNCTION count_json(account text, change bigint) RETURNS void
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
    PERFORM FROM users WHERE id = account FOR NO KEY UPDATE;
    IF NOT FOUND THEN
        RETURN;
    END IF;
    PERFORM FROM json_usage WHERE user_id = account AND part = mine FOR UPDATE;
    -- Statements of their own: each sees what was committed while the one before
    -- it waited.
    SELECT quota - s.used - s.promised
        + coalesce((SELECT granted - bytes FROM json_usage WHERE user_id = account AND part = mine), 0)
    INTO room FROM users, storage_of(account) AS s WHERE id = account;
    IF change > room THEN
        RAISE EXCEPTION 'storage quota exceeded' USING ERRCODE = 'PQ507';
    END IF;
    -- Where there is much room, the next writes need not look again. All parts
    -- together set aside 2 MiB at most.
    IF room > 268435456 THEN
        spare := 65536;
    END IF;
    INSERT INTO json_usage AS u VALUES (account, mine, change, change + spare)
    ON CONFLICT (user_id, part) DO UPDATE SET bytes = u.bytes + change, granted = u.bytes + change + spare;
END
$$;

-- The id of a space begins with that of its owner (API section 1), who is found
-- by it also while the space is being deleted.
CREATE FUNCTION count_entity() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM count_json(split_part(NEW.space_id, '_', 1),
        counted_bytes(NEW.bytes) - CASE TG_OP WHEN 'UPDATE' THEN counted_bytes(OLD.bytes) ELSE 0 END);
    RETURN NULL;
END
$$;
CREATE TRIGGER entities_added AFTER INSERT ON entities
    FOR EACH ROW EXECUTE FUNCTION count_entity();
CREATE TRIGGER entities_changed AFTER UPDATE ON entities
    FOR EACH ROW WHEN (counted_bytes(OLD.bytes) <> counted_bytes(NEW.bytes)) EXECUTE FUNCTION count_entity();

-- One statement deletes thousands, with their space.
CREATE FUNCTION count_deleted_entities() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM count_json(split_part(space_id, '_', 1), -sum(counted_bytes(bytes))::bigint)
    FROM deleted GROUP BY split_part(space_id, '_', 1);
    RETURN NULL;
END
$$;
CREATE TRIGGER entities_deleted AFTER DELETE ON entities
    REFERENCING OLD TABLE AS deleted FOR EACH STATEMENT EXECUTE FUNCTION count_deleted_entities();

-- A space counts its fields and its texts.
CREATE FUNCTION space_bytes(s spaces) RETURNS bigint
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN counted_bytes((s).bytes + octet_length((s).title) + octet_length((s).description));

CREATE FUNCTION count_space() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM count_json(coalesce(NEW.owner_id, OLD.owner_id),
        CASE TG_OP WHEN 'DELETE' THEN 0 ELSE space_bytes(NEW) END
        - CASE TG_OP WHEN 'INSERT' THEN 0 ELSE space_bytes(OLD) END);
    RETURN NULL;
END
$$;
CREATE TRIGGER spaces_counted AFTER INSERT OR DELETE ON spaces
    FOR EACH ROW EXECUTE FUNCTION count_space();
CREATE TRIGGER spaces_changed AFTER UPDATE ON spaces
    FOR EACH ROW WHEN (space_bytes(OLD) <> space_bytes(NEW)) EXECUTE FUNCTION count_space();

-- What is there already. Nobody is refused for it, though it may be too much.
INSERT INTO json_usage
SELECT u.id, 0, sum(j.bytes), sum(j.bytes)
FROM users AS u JOIN (
    SELECT split_part(space_id, '_', 1) AS owner, counted_bytes(bytes) AS bytes FROM entities
    UNION ALL
    SELECT owner_id, space_bytes(s) FROM spaces AS s
) AS j ON j.owner = u.id
GROUP BY u.id;
