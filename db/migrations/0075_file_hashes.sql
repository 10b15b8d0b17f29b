-- The SHA-256 of the bytes of a file, in hex. A change set that names an uploaded file reads all of
-- it once, and no other one has to. The bytes of a file never change.
ALTER TABLE files ADD COLUMN sha256 text;
