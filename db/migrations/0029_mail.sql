-- Links that were mailed to people, by the SHA-256 of their token. A link belongs to the
-- address that it was sent to, works once, and is replaced by the next one for the same
-- purpose. The row stays until it expires, which limits how much mail an account gets.
CREATE TABLE mailed_links (
    hash       bytea PRIMARY KEY,
    user_id    text NOT NULL REFERENCES users ON DELETE CASCADE,
    purpose    text NOT NULL,
    email      text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    expires_at timestamptz NOT NULL,
    ended_at   timestamptz
);
CREATE INDEX mailed_links_by_user ON mailed_links (user_id, purpose, created_at);
CREATE INDEX mailed_links_expired ON mailed_links (expires_at);
