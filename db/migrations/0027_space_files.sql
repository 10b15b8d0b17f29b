-- The plugins and assets of a space that is kept as files: which file of its owner has which
-- path. A deleted file leaves the space.
CREATE TABLE space_files (
    space_id     text NOT NULL REFERENCES spaces ON DELETE CASCADE,
    path         text NOT NULL,
    resource_key text NOT NULL REFERENCES files ON DELETE CASCADE,
    sha256       text NOT NULL,
    PRIMARY KEY (space_id, path)
);
CREATE INDEX space_files_by_file ON space_files (resource_key);
