-- Uploads whose bytes arrive in pieces. writer is the request that appends bytes now, and
-- writer_until is when others may append although it did not end, because its process died.
ALTER TABLE uploads
    ADD COLUMN resumable    boolean NOT NULL DEFAULT false,
    ADD COLUMN writer       text,
    ADD COLUMN writer_until timestamptz;
