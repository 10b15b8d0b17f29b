-- What visitors walk on in a capture, and where they start. The collision is derived, as the
-- view is: it lies in the same folder and counts as used storage.
ALTER TABLE files
    ADD COLUMN collision_key text,
    ADD COLUMN start         jsonb;
