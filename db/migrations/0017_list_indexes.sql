-- The lists of all Public spaces that clients sort, or of which they read what has changed
-- since they asked last: an index has their rows in order, so a page does not sort them all.
CREATE INDEX spaces_public_by_change ON spaces (changed_at, sequence) WHERE privacy = 'Public';
CREATE INDEX spaces_public_by_title ON spaces (title, sequence) WHERE privacy = 'Public';
CREATE INDEX spaces_public_by_visits ON spaces (visit_count, sequence) WHERE privacy = 'Public';
CREATE INDEX spaces_by_change ON spaces (owner_id, changed_at, sequence);
CREATE INDEX files_by_name ON files (user_id, name, sequence);
CREATE INDEX files_by_size ON files (user_id, size, sequence);

-- The file that an entity shows, by the hash of its address, which may be long. It is a
-- column because an index on the data itself would make each change of the data write all
-- indexes of the row.
ALTER TABLE entities ADD COLUMN shows uuid GENERATED ALWAYS AS (md5(data->>'glbUrl')::uuid) STORED;
CREATE INDEX entities_by_file ON entities (shows, sequence) WHERE shows IS NOT NULL;
