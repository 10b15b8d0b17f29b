-- Sessions belong to an account, so that its owner can see and end each of them. The version
-- is the access version of the account that the session is valid for, and first_version is
-- the earliest version whose open streams the session carries on. Sessions of an older server
-- have no account here; they are found by their data alone until they end.
ALTER TABLE sessions
    ADD COLUMN id text NOT NULL DEFAULT gen_random_uuid()::text,
    ADD COLUMN user_id text REFERENCES users ON DELETE CASCADE,
    ADD COLUMN access_version bigint NOT NULL DEFAULT 0,
    ADD COLUMN first_version bigint NOT NULL DEFAULT 0,
    ADD COLUMN user_agent text NOT NULL DEFAULT '',
    ADD COLUMN network text NOT NULL DEFAULT '',
    ADD COLUMN created_at timestamptz NOT NULL DEFAULT now(),
    ADD COLUMN seen_at timestamptz NOT NULL DEFAULT now();
CREATE UNIQUE INDEX sessions_by_user ON sessions (user_id, id) WHERE user_id IS NOT NULL;
