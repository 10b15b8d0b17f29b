-- The pictures of accounts. The object is in the store, in the folder of the account.
CREATE TABLE account_pictures (
    user_id     text PRIMARY KEY REFERENCES users ON DELETE CASCADE,
    storage_key text NOT NULL,
    changed_at  timestamptz NOT NULL DEFAULT now()
);
