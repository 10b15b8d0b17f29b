-- Whether the owner has switched off that visitors of the space see each other. Who is
-- visiting a space is never stored.
ALTER TABLE spaces ADD COLUMN presence_off boolean NOT NULL DEFAULT false;
