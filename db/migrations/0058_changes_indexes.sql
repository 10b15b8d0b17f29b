-- Changes are recorded in their order, 500 at a time, and read by space. Without indexes, each batch
-- read and sorted all changes: with a million of them, after an outage of the workers, it took two
-- seconds. A primary key would lock the table against readers, such as a backup, while it is built.
CREATE UNIQUE INDEX changes_order ON changes (sequence);
CREATE INDEX changes_space ON changes (space_id, sequence);
