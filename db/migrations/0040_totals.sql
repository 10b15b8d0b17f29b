-- The number of rows of long lists, which each change keeps up to date: counting a list of a
-- million rows takes a hundred times as long as reading a page of it.
--
-- A list is named by the id of a space, for its entities without RoomInfo; by an account and
-- a privacy, for the account's spaces; by 'Public', for all Public spaces; and by an account
-- and 'files'. A change adds to a part of the total that its connection has, as count_json
-- does, so that writers of one list do not wait for each other; the total is the sum.
CREATE TABLE totals (
    list text     NOT NULL,
    part smallint NOT NULL,
    rows bigint   NOT NULL,
    PRIMARY KEY (list, part)
) WITH (fillfactor = 50);

CREATE FUNCTION total_part() RETURNS smallint LANGUAGE sql STABLE
RETURN (pg_backend_pid() % 32)::smallint;

-- Adds to the totals of lists. In their order, so that two changes of the same part lock
-- them in the same order.
CREATE FUNCTION add_totals(lists text[], change bigint) RETURNS void LANGUAGE sql AS $$
    INSERT INTO totals AS t (list, part, rows)
    SELECT list, total_part(), change FROM unnest(lists) AS list ORDER BY list
    ON CONFLICT (list, part) DO UPDATE SET rows = t.rows + change
$$;

-- Most spaces have few entities, which are counted faster than a kept total is written. So
-- the total of a space is kept from the first time on that somebody reads the list of over
-- 1,000. It has all parts then; a space without them is not kept.
--
-- The lock on the space waits for every transaction that is adding or deleting entities: an
-- insert holds the foreign key's lock on the space, and a delete the one that
-- total_deleted_entities takes. A later one waits for this transaction, and then finds the parts.
CREATE FUNCTION keep_total(space text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    counted bigint;
BEGIN
    PERFORM FROM spaces WHERE id = space FOR UPDATE;
    IF NOT FOUND THEN
        RETURN 0;
    END IF;
    -- A statement of its own: it sees what was committed while the one before it waited.
    SELECT sum(rows)::bigint INTO counted FROM totals WHERE list = space;
    IF counted IS NULL THEN
        SELECT count(*) INTO counted FROM entities WHERE space_id = space AND entity_id <> 'RoomInfo';
        INSERT INTO totals SELECT space, part, CASE part WHEN 0 THEN counted ELSE 0 END FROM generate_series(0, 31) AS part;
    END IF;
    RETURN counted;
END
$$;

-- Triggers run in the order of their names: this one after the foreign key's, whose lock it needs.
CREATE FUNCTION total_added_entity() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.entity_id <> 'RoomInfo' THEN
        UPDATE totals SET rows = rows + 1 WHERE list = NEW.space_id AND part = total_part();
    END IF;
    RETURN NULL;
END
$$;
CREATE TRIGGER entities_total_added AFTER INSERT ON entities
    FOR EACH ROW EXECUTE FUNCTION total_added_entity();

CREATE FUNCTION total_deleted_entities() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM FROM spaces WHERE id IN (SELECT space_id FROM deleted) ORDER BY id FOR KEY SHARE;
    UPDATE totals SET rows = rows - gone.entities
    FROM (SELECT space_id, count(*) AS entities FROM deleted WHERE entity_id <> 'RoomInfo' GROUP BY space_id) AS gone
    WHERE list = gone.space_id AND part = total_part();
    RETURN NULL;
END
$$;
CREATE TRIGGER entities_total_deleted AFTER DELETE ON entities
    REFERENCING OLD TABLE AS deleted FOR EACH STATEMENT EXECUTE FUNCTION total_deleted_entities();

-- The lists that a space is in.
CREATE FUNCTION lists_of(s spaces) RETURNS text[] LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE (s).privacy WHEN 'Public' THEN ARRAY[(s).owner_id || ' Public', 'Public'] ELSE ARRAY[(s).owner_id || ' ' || (s).privacy] END;

-- count_json locks the part of the account first: two transactions of the same part and
-- account never wait for each other's totals.
CREATE FUNCTION total_space() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM count_json(coalesce(NEW.owner_id, OLD.owner_id), 0);
    IF TG_OP <> 'INSERT' THEN
        PERFORM add_totals(lists_of(OLD), -1);
    END IF;
    IF TG_OP = 'DELETE' THEN
        DELETE FROM totals WHERE list = OLD.id;
    ELSE
        PERFORM add_totals(lists_of(NEW), 1);
    END IF;
    RETURN NULL;
END
$$;
CREATE TRIGGER spaces_total AFTER INSERT OR DELETE ON spaces
    FOR EACH ROW EXECUTE FUNCTION total_space();
CREATE TRIGGER spaces_total_changed AFTER UPDATE OF privacy ON spaces
    FOR EACH ROW WHEN (OLD.privacy <> NEW.privacy) EXECUTE FUNCTION total_space();

CREATE FUNCTION total_file() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM add_totals(ARRAY[coalesce(NEW.user_id, OLD.user_id) || ' files'], CASE TG_OP WHEN 'INSERT' THEN 1 ELSE -1 END);
    RETURN NULL;
END
$$;
CREATE TRIGGER files_total AFTER INSERT OR DELETE ON files
    FOR EACH ROW EXECUTE FUNCTION total_file();

-- An account that is deleted leaves no total: its spaces and files are deleted before it, or
-- by it.
CREATE FUNCTION total_user() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM totals WHERE list IN (OLD.id || ' Public', OLD.id || ' Link Only', OLD.id || ' Private', OLD.id || ' files');
    RETURN NULL;
END
$$;
CREATE TRIGGER users_total AFTER DELETE ON users
    FOR EACH ROW EXECUTE FUNCTION total_user();

-- What is there already.
INSERT INTO totals
SELECT owner_id || ' ' || privacy, 0, count(*) FROM spaces GROUP BY owner_id, privacy
UNION ALL SELECT 'Public', 0, count(*) FROM spaces WHERE privacy = 'Public'
UNION ALL SELECT user_id || ' files', 0, count(*) FROM files GROUP BY user_id;
