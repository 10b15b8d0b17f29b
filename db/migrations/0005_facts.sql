-- What a file was found to hold, and what was made of it: a poster, and for a
-- format that no viewer reads whole a view. Both lie in a folder of their own
-- and count as used storage, but not in the size of the file.
ALTER TABLE files
    ADD COLUMN facts         jsonb,
    ADD COLUMN poster_key    text,
    ADD COLUMN view_key      text,
    ADD COLUMN derived_bytes bigint NOT NULL DEFAULT 0 CHECK (derived_bytes >= 0);

-- Used storage is summed from the index alone.
DROP INDEX files_by_user;
CREATE UNIQUE INDEX files_by_user ON files (user_id, sequence) INCLUDE (size, derived_bytes);

-- What an upload is to become. The result of converting a file that is there
-- has an upload without bytes of its own.
ALTER TABLE uploads
    ADD COLUMN convert_to text CHECK (convert_to IN ('sog', 'streamed-sog')),
    DROP CONSTRAINT uploads_size_check,
    ADD CONSTRAINT uploads_size_check CHECK (size >= 0);

-- The file that a job converts is one of the user's, and may be deleted before
-- the job has ended: it is no reference.
ALTER TABLE jobs
    ADD COLUMN convert_to text CHECK (convert_to IN ('sog', 'streamed-sog')),
    ADD COLUMN source_key text CHECK (source_key IS NULL OR convert_to IS NOT NULL);
-- One conversion of a file to a target runs at a time.
CREATE UNIQUE INDEX jobs_conversions ON jobs (source_key, convert_to)
    WHERE source_key IS NOT NULL AND status IN ('queued', 'processing');
