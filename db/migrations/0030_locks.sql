-- Who alone may change the space's content, and until when; NULL or a time that has
-- passed is nobody. The token is what the holder sends with each change.
ALTER TABLE spaces
    ADD COLUMN lock_name text,
    ADD COLUMN lock_token text,
    ADD COLUMN locked_until timestamptz;
