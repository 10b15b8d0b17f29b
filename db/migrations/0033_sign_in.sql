-- One-time codes by time (RFC 6238), one secret for each account. The secret is encrypted with
-- the server's secret. No code is accepted for last_step or an earlier step: each works once.
CREATE TABLE one_time_codes (
    user_id      text PRIMARY KEY REFERENCES users ON DELETE CASCADE,
    sealed       bytea NOT NULL,
    confirmed_at timestamptz,
    last_step    bigint NOT NULL DEFAULT 0
);

-- The codes that work once each when the device with the one-time codes is lost, by their
-- SHA-256: they are random, so that they need no slow hash.
CREATE TABLE recovery_codes (
    user_id text NOT NULL REFERENCES one_time_codes ON DELETE CASCADE,
    hash    bytea NOT NULL,
    PRIMARY KEY (user_id, hash)
);

-- Passkeys (WebAuthn). The credential is what the library needs to verify an assertion: a
-- public key, and nothing secret.
CREATE TABLE passkeys (
    id            text PRIMARY KEY,
    user_id       text NOT NULL REFERENCES users ON DELETE CASCADE,
    credential_id bytea NOT NULL CONSTRAINT passkeys_credential_key UNIQUE,
    credential    jsonb NOT NULL,
    name          text NOT NULL,
    created_at    timestamptz NOT NULL DEFAULT now(),
    used_at       timestamptz
);
CREATE INDEX passkeys_by_user ON passkeys (user_id);

-- The challenges that browsers answer with a passkey, by the SHA-256. A row is deleted at its first
-- use. A challenge of an account adds a passkey to it; the others are for signing in.
CREATE TABLE passkey_challenges (
    hash       bytea PRIMARY KEY,
    user_id    text REFERENCES users ON DELETE CASCADE,
    session    jsonb NOT NULL,
    expires_at timestamptz NOT NULL
);
CREATE INDEX passkey_challenges_by_user ON passkey_challenges (user_id) WHERE user_id IS NOT NULL;
CREATE INDEX passkey_challenges_expired ON passkey_challenges (expires_at);
