-- Programs that registered themselves (RFC 7591). One whose user never agreed
-- to anything is purged.
CREATE TABLE oauth_clients (
    id            text PRIMARY KEY,
    name          text NOT NULL,
    redirect_uris text[] NOT NULL,
    created_at    timestamptz NOT NULL DEFAULT now(),
    granted_at    timestamptz
);
CREATE INDEX oauth_clients_ungranted ON oauth_clients (created_at) WHERE granted_at IS NULL;

-- Authorization codes, by their SHA-256. A row is deleted at its first use.
CREATE TABLE oauth_codes (
    hash         bytea PRIMARY KEY,
    client_id    text NOT NULL REFERENCES oauth_clients ON DELETE CASCADE,
    user_id      text NOT NULL REFERENCES users ON DELETE CASCADE,
    redirect_uri text NOT NULL,
    challenge    text NOT NULL,
    scope        text NOT NULL,
    expires_at   timestamptz NOT NULL
);
CREATE INDEX oauth_codes_by_user ON oauth_codes (user_id);
CREATE INDEX oauth_codes_by_client ON oauth_codes (client_id);
CREATE INDEX oauth_codes_expired ON oauth_codes (expires_at);

-- Browser sessions, by the hash of the cookie's token.
CREATE TABLE sessions (
    token      text PRIMARY KEY,
    data       bytea NOT NULL,
    expires_at timestamptz NOT NULL
);
CREATE INDEX sessions_expired ON sessions (expires_at);

-- Who an account is to an OpenID Connect provider. A provider's user has one
-- account and an account one user there: an address that the provider gave to
-- somebody else does not open it.
CREATE TABLE identities (
    issuer     text NOT NULL,
    subject    text NOT NULL,
    user_id    text NOT NULL REFERENCES users ON DELETE CASCADE,
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (issuer, subject),
    CONSTRAINT identities_user_key UNIQUE (user_id, issuer)
);

-- Accounts whose owner has not shown that the e-mail address is theirs: anybody
-- may have signed up with it.
CREATE TABLE unproven_emails (
    user_id text PRIMARY KEY REFERENCES users ON DELETE CASCADE
);
