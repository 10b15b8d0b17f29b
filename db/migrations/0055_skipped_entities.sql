-- The entities that show a changed file and that another transaction had locked when the file
-- changed (see db.announceFile). Each is marked after the commit of the change, and its row is
-- deleted with the mark. There is no foreign key: it would wait for the deletion of a space, in
-- another order than the deletion takes its locks. The mark of a deleted entity only deletes the row.
CREATE TABLE skipped_entities (
    id        bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    space_id  text NOT NULL,
    entity_id text NOT NULL,
    upload_id text NOT NULL
);
