-- A conversion may also draw a capture from all sides.
ALTER TABLE uploads
    DROP CONSTRAINT uploads_convert_to_check,
    ADD CONSTRAINT uploads_convert_to_check
        CHECK (convert_to IN ('sog', 'streamed-sog', 'ply', 'compressed-ply', 'spz', 'glb', 'csv', 'turntable'));
ALTER TABLE jobs
    DROP CONSTRAINT jobs_convert_to_check,
    ADD CONSTRAINT jobs_convert_to_check
        CHECK (convert_to IN ('sog', 'streamed-sog', 'ply', 'compressed-ply', 'spz', 'glb', 'csv', 'turntable'));
