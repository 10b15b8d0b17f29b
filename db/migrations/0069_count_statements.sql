-- What a statement adds is counted once, not for each of its rows: each count of an account without
-- 256 MiB to spare sums its storage and makes a new version of the same row, which every later
-- count of the transaction passes. 4,900 entities in one statement took seconds.
--
-- Updates are still counted for each row, but only those whose size changes much: most updates count
-- nothing, and collecting the rows would cost each of them. They look at the quota more seldom: see
-- count_json below.
CREATE FUNCTION count_added_entities() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    origin text := coalesce(current_setting('portico.origin', true), '');
BEGIN
    PERFORM count_json(account, bytes) FROM (
        SELECT split_part(space_id, '_', 1) AS account, sum(counted_bytes(bytes))::bigint AS bytes
        FROM added GROUP BY 1 ORDER BY 1) AS counted;
    IF origin <> 'none' THEN
        INSERT INTO changes (space_id, target, origin, op)
        SELECT space_id, entity_id, origin, 1 FROM added ORDER BY sequence;
    END IF;
    RETURN NULL;
END
$$;
DROP TRIGGER entities_added ON entities;
DROP FUNCTION count_added_entity();
CREATE TRIGGER entities_added AFTER INSERT ON entities
    REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION count_added_entities();

CREATE FUNCTION total_added_entities() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE totals SET rows = rows + counted.entities
    FROM (SELECT space_id, count(*) AS entities FROM added WHERE entity_id <> 'RoomInfo' GROUP BY space_id) AS counted
    WHERE list = counted.space_id AND part = total_part();
    RETURN NULL;
END
$$;
DROP TRIGGER entities_total_added ON entities;
DROP FUNCTION total_added_entity();
CREATE TRIGGER entities_total_added AFTER INSERT ON entities
    REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION total_added_entities();

-- What a part is granted ahead is now 1/4096 of the room, up to the 64 KiB of before: without it,
-- each row of an account with less than 256 MiB looked at the quota. All 32 parts together set aside
-- less than a hundredth of the room.
CREATE OR REPLACE FUNCTION count_json(account text, change bigint) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    mine  smallint := pg_backend_pid() % 32;
    room  bigint;  -- free for this part
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
    UPDATE json_usage SET bytes = bytes + change,
        granted = bytes + change + least(65536, (room - change) / 4096 / 256 * 256)
    WHERE user_id = account AND part = mine;
END
$$;
