-- Signed addresses of exports and protected files contain key_version, and end with the keys of their
-- account: it increases with every event that ends a key. An upload remembers the key that asked
-- for it, because its address must end with that key.
ALTER TABLE users ADD COLUMN key_version bigint NOT NULL DEFAULT 0;
ALTER TABLE uploads ADD COLUMN key_id text;
