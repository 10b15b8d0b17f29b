-- Deleting an account finds all uploads of the account, and the last time at which an address of one
-- of them expires.
CREATE INDEX uploads_by_user ON uploads (user_id, expires_at);
