-- Finding a text anywhere in the titles and descriptions of spaces reads all of them, so an
-- index has every piece of one to three characters: only a space that has all pieces of a
-- text can contain it. pg_trgm has the same idea; this needs no extension, which the role of
-- an installation may not have the right to create, and finds texts of one and two
-- characters too, which are words in Chinese and Japanese.

-- The pieces of a text from these sizes on, as numbers. Two pieces with the same number only
-- make a search compare a text in vain.
CREATE FUNCTION search_pieces(text text, smallest int) RETURNS int[] LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT coalesce(array_agg(DISTINCT (((one * 2097152 + two) * 2097152 + three) % 2147483647)::int), '{}')
    FROM (
        SELECT ascii(c)::bigint AS a, ascii(lead(c) OVER places)::bigint AS b, ascii(lead(c, 2) OVER places)::bigint AS c
        FROM unnest(string_to_array(lower(text), NULL)) WITH ORDINALITY AS characters (c, place)
        WINDOW places AS (ORDER BY place)
    ) AS starts, LATERAL (VALUES (1, a, 0, 0), (2, a, b, 0), (3, a, b, c)) AS pieces (size, one, two, three)
    WHERE size >= smallest AND two IS NOT NULL AND three IS NOT NULL
$$;

-- Not a column of spaces: each visit and each change of an entity writes a row of spaces, and
-- would write all of its pieces into the index again.
CREATE TABLE space_texts (
    space_id text  PRIMARY KEY REFERENCES spaces ON DELETE CASCADE,
    pieces   int[] NOT NULL
);
INSERT INTO space_texts SELECT id, search_pieces(title || E'\n' || description, 1) FROM spaces;
-- A search reads the entries that wait to be sorted in, so few of them wait.
CREATE INDEX space_texts_pieces ON space_texts USING gin (pieces) WITH (gin_pending_list_limit = 256);

CREATE FUNCTION index_space_text() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO space_texts VALUES (NEW.id, search_pieces(NEW.title || E'\n' || NEW.description, 1))
    ON CONFLICT (space_id) DO UPDATE SET pieces = EXCLUDED.pieces;
    RETURN NULL;
END
$$;
CREATE TRIGGER spaces_text_added AFTER INSERT ON spaces
    FOR EACH ROW EXECUTE FUNCTION index_space_text();
CREATE TRIGGER spaces_text_changed AFTER UPDATE OF title, description ON spaces
    FOR EACH ROW WHEN (OLD.title <> NEW.title OR OLD.description <> NEW.description) EXECUTE FUNCTION index_space_text();
