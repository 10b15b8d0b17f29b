-- The new e-mail address that an account waits for: its owner has asked for the change, and has
-- not opened the link that was mailed to the new address. An account has one at a time. The row
-- expires with the newest link to its address.
CREATE TABLE email_changes (
    user_id      text PRIMARY KEY REFERENCES users ON DELETE CASCADE,
    email        text NOT NULL,
    requested_at timestamptz NOT NULL DEFAULT now(),
    expires_at   timestamptz NOT NULL
);
CREATE INDEX email_changes_expired ON email_changes (expires_at);

-- The changes whose links were mailed before there was this table.
INSERT INTO email_changes (user_id, email, requested_at, expires_at)
SELECT DISTINCT ON (links.user_id) links.user_id, links.email, links.created_at, links.expires_at
FROM mailed_links AS links JOIN users ON users.id = links.user_id
WHERE purpose = 'confirm' AND links.ended_at IS NULL AND links.expires_at > now() AND links.email <> users.email
ORDER BY links.user_id, links.created_at DESC;
