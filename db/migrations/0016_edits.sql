-- A conversion may change the capture, and has more targets. Two conversions of a file to
-- one target run at the same time if they change it in different ways.
ALTER TABLE uploads
    DROP CONSTRAINT uploads_convert_to_check,
    ADD CONSTRAINT uploads_convert_to_check
        CHECK (convert_to IN ('sog', 'streamed-sog', 'ply', 'compressed-ply', 'spz', 'glb', 'csv'));
ALTER TABLE jobs
    ADD COLUMN edits text,
    DROP CONSTRAINT jobs_convert_to_check,
    ADD CONSTRAINT jobs_convert_to_check
        CHECK (convert_to IN ('sog', 'streamed-sog', 'ply', 'compressed-ply', 'spz', 'glb', 'csv'));
DROP INDEX jobs_conversions;
CREATE UNIQUE INDEX jobs_conversions ON jobs (source_key, convert_to, md5(coalesce(edits, '')))
    WHERE source_key IS NOT NULL AND status IN ('queued', 'processing');
