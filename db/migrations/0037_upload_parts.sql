-- Uploads whose bytes arrive in several parts at the same time. parts is the number that the client
-- asked for, 0 for an upload that arrives in order. Where each part starts follows from it.
ALTER TABLE uploads ADD COLUMN parts smallint NOT NULL DEFAULT 0;

-- The requests that append to a part now, as uploads.writer is for a whole upload.
CREATE TABLE upload_writers (
    upload_id    text NOT NULL REFERENCES uploads ON DELETE CASCADE,
    part         smallint NOT NULL,
    writer       text NOT NULL,
    writer_until timestamptz NOT NULL,
    PRIMARY KEY (upload_id, part)
);
