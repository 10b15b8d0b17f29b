-- Operators see the latest files that could not be prepared: few of all files, which were all read.
CREATE INDEX files_failed ON files (created_at, sequence) WHERE failures IS NOT NULL AND failures <> '{}';
