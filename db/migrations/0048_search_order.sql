-- The index of a search finds its candidates in no order, so all of their spaces were read to find
-- the newest: 11,000 spaces for a text that one of a hundred contains. With the owner and the
-- sequence beside the pieces, a search reads the spaces in the order of the list until its page is
-- full.
DROP INDEX space_texts_pieces; -- updating each row would write all pieces again
ALTER TABLE space_texts ADD COLUMN owner_id text, ADD COLUMN sequence bigint;
UPDATE space_texts SET owner_id = spaces.owner_id, sequence = spaces.sequence FROM spaces WHERE id = space_id;
ALTER TABLE space_texts ALTER COLUMN owner_id SET NOT NULL, ALTER COLUMN sequence SET NOT NULL;
CREATE INDEX space_texts_pieces ON space_texts USING gin (pieces) WITH (gin_pending_list_limit = 256);

CREATE OR REPLACE FUNCTION index_space_text() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO space_texts (space_id, owner_id, sequence, pieces)
    VALUES (NEW.id, NEW.owner_id, NEW.sequence, search_pieces(NEW.title || E'\n' || NEW.description, 1))
    ON CONFLICT (space_id) DO UPDATE SET pieces = EXCLUDED.pieces;
    RETURN NULL;
END
$$;
