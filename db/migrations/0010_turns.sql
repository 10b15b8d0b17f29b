-- When the latest attempt at a job began: users take turns, and whose turn was
-- longest ago is next.
ALTER TABLE jobs ADD COLUMN started_at timestamptz;
CREATE INDEX jobs_turns ON jobs (user_id, started_at);
