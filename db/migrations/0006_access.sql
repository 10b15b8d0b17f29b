-- Sessions and authorization codes carry the version that they were given out in,
-- and end with it: when the account is linked to an identity, gets another password
-- or has its key revoked.
ALTER TABLE users ADD COLUMN access_version bigint NOT NULL DEFAULT 0;
ALTER TABLE oauth_codes ADD COLUMN access_version bigint NOT NULL DEFAULT 0;

-- A session that was signed out stays until it would have expired, so that a
-- request that still runs does not store it anew.
ALTER TABLE sessions ADD COLUMN ended_at timestamptz;

-- An empty subject names nobody: all who have one would share an account.
DELETE FROM identities WHERE subject = '';
ALTER TABLE identities ADD CONSTRAINT identities_subject_check CHECK (subject <> '');

-- Who has agreed to give a program their key, at least once.
CREATE TABLE oauth_consents (
    user_id    text NOT NULL REFERENCES users ON DELETE CASCADE,
    client_id  text NOT NULL REFERENCES oauth_clients ON DELETE CASCADE,
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (user_id, client_id)
);
CREATE INDEX oauth_consents_by_client ON oauth_consents (client_id);
