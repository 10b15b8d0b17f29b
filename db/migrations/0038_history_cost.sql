-- What a change of an entity replaced is recorded by the trigger that runs for each write anyway. A
-- trigger of its own cost about as much as the row that it wrote. Only UPDATE is recorded here:
-- of an INSERT it is not known yet whether it conflicts.
CREATE OR REPLACE FUNCTION derive_entity() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.bytes := octet_length(NEW.data::text) + octet_length(NEW.state::text);
    NEW.shows := md5(NEW.data->>'glbUrl')::uuid;
    IF TG_OP = 'UPDATE' AND (OLD.data <> NEW.data OR OLD.type <> NEW.type) THEN
        INSERT INTO changes (space_id, target, origin, op, type, before)
        VALUES (OLD.space_id, OLD.entity_id, coalesce(current_setting('portico.origin', true), ''), 2, OLD.type, OLD.data);
    END IF;
    RETURN NEW;
END
$$;
DROP TRIGGER entities_recorded ON entities;
DROP FUNCTION record_changed_entity();
