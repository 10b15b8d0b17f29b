-- What every write of a space replaced, in the transaction of the write. A row is written by a
-- trigger, has no index and waits for nobody; it stays until its burst is recorded as a
-- version. before is NULL for what was created.
CREATE TABLE changes (
    sequence bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
    at       timestamptz NOT NULL DEFAULT now(),
    space_id text NOT NULL,
    target   text NOT NULL,
    origin   text NOT NULL,
    op       smallint NOT NULL, -- 1 created, 2 changed, 3 deleted
    type     text,
    before   jsonb
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);

-- The versions of a space. sequence counts them, from 1.
CREATE TABLE space_versions (
    space_id   text NOT NULL REFERENCES spaces ON DELETE CASCADE,
    sequence   bigint NOT NULL,
    origin     text NOT NULL, -- as in changes: equal for the writes of one burst
    started_at timestamptz NOT NULL,
    ended_at   timestamptz NOT NULL,
    name       text NOT NULL DEFAULT '',
    created    integer NOT NULL DEFAULT 0,
    updated    integer NOT NULL DEFAULT 0,
    deleted    integer NOT NULL DEFAULT 0,
    bytes      bigint NOT NULL DEFAULT 0,
    PRIMARY KEY (space_id, sequence)
);
CREATE INDEX space_versions_by_age ON space_versions (ended_at);

-- What a version replaced: the state before it. The state after it is what the next version
-- that has the target replaced, or what is there now.
--
-- A target is the id of an entity, the path of a plugin or an asset, which has a slash, or
-- empty for the settings of the space. type is NULL where there was nothing before.
CREATE TABLE version_changes (
    space_id text NOT NULL,
    version  bigint NOT NULL,
    target   text NOT NULL,
    op       smallint NOT NULL, -- as in changes; 0 for what was created and deleted again
    type     text,
    before   jsonb,
    PRIMARY KEY (space_id, version, target),
    FOREIGN KEY (space_id, version) REFERENCES space_versions ON DELETE CASCADE
);

-- The bytes of the history of each account. No reference to the account: deleting it must not
-- wait for whoever records versions.
CREATE TABLE history_usage (
    user_id text PRIMARY KEY,
    bytes   bigint NOT NULL
);

CREATE FUNCTION count_history() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    account text := split_part(coalesce(NEW.space_id, OLD.space_id), '_', 1);
    change  bigint := CASE TG_OP WHEN 'DELETE' THEN 0 ELSE NEW.bytes END - CASE TG_OP WHEN 'INSERT' THEN 0 ELSE OLD.bytes END;
BEGIN
    UPDATE history_usage SET bytes = bytes + change WHERE user_id = account;
    IF NOT FOUND AND change > 0 THEN
        INSERT INTO history_usage AS u VALUES (account, change)
        ON CONFLICT (user_id) DO UPDATE SET bytes = u.bytes + change;
    END IF;
    RETURN NULL;
END
$$;
CREATE TRIGGER versions_counted AFTER INSERT OR DELETE OR UPDATE OF bytes ON space_versions
    FOR EACH ROW EXECUTE FUNCTION count_history();

CREATE OR REPLACE FUNCTION storage_of(account text, OUT used bigint, OUT promised bigint)
LANGUAGE sql STABLE PARALLEL SAFE AS $$
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

-- The writes of a transaction say where they come from by the setting portico.origin, which a
-- statement sets in itself: an UPDATE with set_config in its condition costs no round trip.
-- The value 'none' records nothing: the first entities of a space are no change, and the
-- history of a space is deleted with it.
CREATE FUNCTION skip_history() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM set_config('portico.origin', 'none', true);
    IF TG_OP = 'DELETE' THEN
        RETURN OLD;
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER spaces_without_history BEFORE INSERT OR DELETE ON spaces
    FOR EACH ROW EXECUTE FUNCTION skip_history();

CREATE FUNCTION count_added_entity() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    origin text := coalesce(current_setting('portico.origin', true), '');
BEGIN
    PERFORM count_json(split_part(NEW.space_id, '_', 1), counted_bytes(NEW.bytes));
    IF origin <> 'none' THEN
        INSERT INTO changes (space_id, target, origin, op) VALUES (NEW.space_id, NEW.entity_id, origin, 1);
    END IF;
    RETURN NULL;
END
$$;
DROP TRIGGER entities_added ON entities;
CREATE TRIGGER entities_added AFTER INSERT ON entities
    FOR EACH ROW EXECUTE FUNCTION count_added_entity();

CREATE FUNCTION record_changed_entity() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    -- Not the condition of the trigger: that is planned anew for each statement.
    IF OLD.data <> NEW.data OR OLD.type <> NEW.type THEN
        INSERT INTO changes (space_id, target, origin, op, type, before)
        VALUES (OLD.space_id, OLD.entity_id, coalesce(current_setting('portico.origin', true), ''), 2, OLD.type, OLD.data);
    END IF;
    RETURN NULL;
END
$$;
CREATE TRIGGER entities_recorded AFTER UPDATE OF type, data ON entities
    FOR EACH ROW EXECUTE FUNCTION record_changed_entity();

CREATE OR REPLACE FUNCTION count_deleted_entities() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    origin text := coalesce(current_setting('portico.origin', true), '');
BEGIN
    PERFORM count_json(split_part(space_id, '_', 1), -sum(counted_bytes(bytes))::bigint)
    FROM deleted GROUP BY split_part(space_id, '_', 1);
    IF origin <> 'none' THEN
        INSERT INTO changes (space_id, target, origin, op, type, before)
        SELECT space_id, entity_id, origin, 3, type, data FROM deleted;
    END IF;
    RETURN NULL;
END
$$;

-- The settings that a version has. A version grows with each change that a client makes, and
-- not with a visit.
CREATE FUNCTION space_settings(s spaces) RETURNS jsonb LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN jsonb_build_object('title', (s).title, 'description', (s).description, 'privacy', (s).privacy, 'data', (s).data);

CREATE FUNCTION record_changed_space() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF space_settings(OLD) <> space_settings(NEW) THEN
        INSERT INTO changes (space_id, target, origin, op, type, before)
        VALUES (OLD.id, '', coalesce(current_setting('portico.origin', true), ''), 2, 'space', space_settings(OLD));
    END IF;
    RETURN NULL;
END
$$;
CREATE TRIGGER spaces_recorded AFTER UPDATE ON spaces
    FOR EACH ROW WHEN (OLD.version <> NEW.version) EXECUTE FUNCTION record_changed_space();

CREATE FUNCTION record_space_file() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    origin text := coalesce(current_setting('portico.origin', true), '');
BEGIN
    IF origin <> 'none' AND NEW IS DISTINCT FROM OLD THEN
        INSERT INTO changes (space_id, target, origin, op, type, before)
        SELECT coalesce(NEW.space_id, OLD.space_id), coalesce(NEW.path, OLD.path), origin,
            CASE TG_OP WHEN 'INSERT' THEN 1 WHEN 'UPDATE' THEN 2 ELSE 3 END,
            CASE WHEN TG_OP <> 'INSERT' THEN 'file' END,
            CASE WHEN TG_OP <> 'INSERT' THEN jsonb_build_object('resourceKey', OLD.resource_key, 'sha256', OLD.sha256) END;
    END IF;
    RETURN NULL;
END
$$;
CREATE TRIGGER space_files_recorded AFTER INSERT OR UPDATE OR DELETE ON space_files
    FOR EACH ROW EXECUTE FUNCTION record_space_file();
