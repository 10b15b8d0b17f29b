-- Jobs are kept for weeks after their end, so what is read of unfinished ones has an index.
CREATE INDEX jobs_unfinished ON jobs (status) WHERE ended_at IS NULL;
