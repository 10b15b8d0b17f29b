-- Most entities refer to no other file, but each write made a text of its data twice, once without
-- the address of its model, and searched it by a regular expression. Now one text serves for the
-- bytes and for a search by a plain text, and only an entity in which that is found costs more.
CREATE OR REPLACE FUNCTION derive_entity() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    data_text  text := NEW.data::text;
    state_text text := NEW.state::text;
    others     text;
BEGIN
    NEW.bytes := octet_length(data_text) + octet_length(state_text);
    NEW.shows := md5(NEW.data->>'glbUrl')::uuid;
    NEW.other_files := NULL;
    IF strpos(data_text, 'api_uploads/') > 0 OR strpos(data_text, 'derived/') > 0
        OR strpos(state_text, 'api_uploads/') > 0 OR strpos(state_text, 'derived/') > 0 THEN
        others := (NEW.data - 'glbUrl')::text || state_text;
        IF others ~ '(?:api_uploads|derived)/[a-z0-9]' THEN
            NEW.other_files := (SELECT array_agg(DISTINCT found.id[1])
                FROM regexp_matches(others, '(?:api_uploads|derived)/([a-z0-9]+)', 'g') AS found(id));
        END IF;
    END IF;
    IF TG_OP = 'UPDATE' AND (OLD.data <> NEW.data OR OLD.type <> NEW.type) THEN
        INSERT INTO changes (space_id, target, origin, op, type, before)
        VALUES (OLD.space_id, OLD.entity_id, coalesce(current_setting('portico.origin', true), ''), 2, OLD.type, OLD.data);
    END IF;
    RETURN NEW;
END
$$;

-- A change of other columns, such as the time of the change, derives nothing.
DROP TRIGGER entities_derived ON entities;
CREATE TRIGGER entities_derived BEFORE INSERT OR UPDATE OF data, state, type ON entities
    FOR EACH ROW EXECUTE FUNCTION derive_entity();
