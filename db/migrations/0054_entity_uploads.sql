-- The id of the upload that the file of an entity came with (see db.uploadOfEntity). A change of a
-- file finds the entities that show it; it searched the data of all entities of the account. NULL for
-- entities without a stored file, which are not in the index. It is a column and no index of an
-- expression: that would make each change of the data a change of the index.
ALTER TABLE entities ADD COLUMN upload_id text;
CREATE INDEX entities_by_upload ON entities (upload_id) WHERE upload_id IS NOT NULL;

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
        NEW.upload_id := (regexp_match(NEW.data->>'glbUrl', '(api_uploads|derived)/([a-z0-9]+)'))[2];
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

-- The trigger fills the column of the entities that exist.
UPDATE entities SET data = data WHERE data->>'glbUrl' ~ '(?:api_uploads|derived)/[a-z0-9]';
