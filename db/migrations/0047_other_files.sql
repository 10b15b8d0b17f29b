-- The ids of the files that an entity refers to outside of the address of its model (shows), such
-- as the picture of a gate or a setting of a plugin: by an address or a resource key, as
-- db.ShownFiles finds them. NULL for most entities, which are not in the index.
ALTER TABLE entities ADD COLUMN other_files text[];
CREATE INDEX entities_by_other_file ON entities USING gin (other_files) WHERE other_files IS NOT NULL;

-- The ids are read by a query only where there is one: the query costs more than the comparison.
CREATE OR REPLACE FUNCTION derive_entity() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    others text := (NEW.data - 'glbUrl')::text || NEW.state::text;
BEGIN
    NEW.bytes := octet_length(NEW.data::text) + octet_length(NEW.state::text);
    NEW.shows := md5(NEW.data->>'glbUrl')::uuid;
    NEW.other_files := NULL;
    IF others ~ '(?:api_uploads|derived)/[a-z0-9]' THEN
        NEW.other_files := (SELECT array_agg(DISTINCT found.id[1])
            FROM regexp_matches(others, '(?:api_uploads|derived)/([a-z0-9]+)', 'g') AS found(id));
    END IF;
    IF TG_OP = 'UPDATE' AND (OLD.data <> NEW.data OR OLD.type <> NEW.type) THEN
        INSERT INTO changes (space_id, target, origin, op, type, before)
        VALUES (OLD.space_id, OLD.entity_id, coalesce(current_setting('portico.origin', true), ''), 2, OLD.type, OLD.data);
    END IF;
    RETURN NEW;
END
$$;

-- The trigger fills the column of the entities that exist.
UPDATE entities SET data = data
WHERE (data - 'glbUrl')::text || state::text ~ '(?:api_uploads|derived)/[a-z0-9]';
