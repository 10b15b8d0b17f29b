-- The ids of uploads have 26 characters, but clients store any text in an entity. An invented id of
-- thousands of characters did not fit into the indexes of upload_id and other_files, so the write
-- failed. Its first 64 characters are enough: they are the id of no upload.
CREATE OR REPLACE FUNCTION derive_entity() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    data_text  text := NEW.data::text;
    state_text text := NEW.state::text;
    others     text;
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
        INSERT INTO changes (space_id, target, origin, op, type, before)
        VALUES (OLD.space_id, OLD.entity_id, coalesce(current_setting('portico.origin', true), ''), 2, OLD.type, OLD.data);
    END IF;
    RETURN NEW;
END
$$;
