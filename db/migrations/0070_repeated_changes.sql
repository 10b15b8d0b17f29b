-- A change whose state nobody needs stores none: an earlier change of the same burst has the state
-- before the version. One-byte changes of a large entity, 450 in a second, stored the whole entity
-- each time, in no quota before they became versions.
--
-- Small states are always stored: finding the earlier change would cost more than they do.
ALTER TABLE changes ADD COLUMN repeated boolean NOT NULL DEFAULT false;

-- The larger the state, the more changes are read to avoid it: that costs less than to store it.
--
-- Whether one of the newest changes of the space is of the same target, and only changes of the same
-- origin and of this minute came after it: then no version starts between the two.
CREATE FUNCTION change_is_repeated(space text, changed text, caller text, size bigint) RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT EXISTS (
        SELECT FROM (
            SELECT target, bool_and(origin = caller AND at >= date_trunc('minute', now())) OVER (ORDER BY sequence DESC) AS continued
            FROM (SELECT sequence, target, origin, at FROM changes WHERE space_id = space ORDER BY sequence DESC LIMIT size / 64) AS newest
        ) AS n WHERE continued AND target = changed)
$$;

CREATE OR REPLACE FUNCTION derive_entity() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    data_text  text := NEW.data::text;
    state_text text := NEW.state::text;
    others     text;
    origin     text;
    repeated   boolean;
BEGIN
    NEW.bytes := octet_length(data_text) + octet_length(state_text);
    NEW.shows := md5(NEW.data->>'glbUrl')::uuid;
    NEW.upload_id := NULL;
    NEW.other_files := NULL;
    IF strpos(data_text, 'api_uploads/') > 0 OR strpos(data_text, 'derived/') > 0
        OR strpos(state_text, 'api_uploads/') > 0 OR strpos(state_text, 'derived/') > 0 THEN
        NEW.upload_id := left((regexp_match(NEW.data->>'glbUrl', '(api_uploads|derived)/([a-z0-9]+)'))[2], 64);
        others := (NEW.data - 'glbUrl')::text || state_text;
        IF others ~ '(?:api_uploads|derived)/[a-z0-9]' THEN
            NEW.other_files := (SELECT array_agg(DISTINCT left(found.id[1], 64))
                FROM regexp_matches(others, '(?:api_uploads|derived)/([a-z0-9]+)', 'g') AS found(id));
        END IF;
    END IF;
    IF TG_OP = 'UPDATE' AND (OLD.data <> NEW.data OR OLD.type <> NEW.type) THEN
        origin := coalesce(current_setting('portico.origin', true), '');
        repeated := OLD.bytes > 1024 AND change_is_repeated(OLD.space_id, OLD.entity_id, origin, OLD.bytes);
        INSERT INTO changes (space_id, target, origin, op, type, before, repeated)
        VALUES (OLD.space_id, OLD.entity_id, origin, 2, OLD.type, CASE WHEN NOT repeated THEN OLD.data END, repeated);
    END IF;
    RETURN NEW;
END
$$;

CREATE OR REPLACE FUNCTION count_deleted_entities() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    origin text := coalesce(current_setting('portico.origin', true), '');
BEGIN
    PERFORM count_json(split_part(space_id, '_', 1), -sum(counted_bytes(bytes))::bigint)
    FROM deleted GROUP BY split_part(space_id, '_', 1);
    IF origin <> 'none' THEN
        INSERT INTO changes (space_id, target, origin, op, type, before, repeated)
        SELECT space_id, entity_id, origin, 3, type, CASE WHEN NOT repeated THEN data END, repeated
        FROM deleted, LATERAL (SELECT bytes > 1024 AND change_is_repeated(space_id, entity_id, origin, bytes) AS repeated) AS r;
    END IF;
    RETURN NULL;
END
$$;

-- The events of webhooks read the privacy before each change.
CREATE OR REPLACE FUNCTION record_changed_space() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    before   jsonb := space_settings(OLD);
    size     integer := octet_length(before::text);
    origin   text;
    repeated boolean;
BEGIN
    IF before <> space_settings(NEW) THEN
        origin := coalesce(current_setting('portico.origin', true), '');
        repeated := size > 1024 AND change_is_repeated(OLD.id, '', origin, size);
        INSERT INTO changes (space_id, target, origin, op, type, before, repeated)
        VALUES (OLD.id, '', origin, 2, 'space',
            CASE WHEN repeated THEN jsonb_build_object('privacy', OLD.privacy) ELSE before END, repeated);
    END IF;
    RETURN NULL;
END
$$;
