-- The pictures of a file in several sizes, and the viewpoint that they are taken from. poster_key
-- is the key of the first one. failures has the steps of a file's preparation that were given
-- up, and why.
ALTER TABLE files
    ADD COLUMN posters  jsonb,
    ADD COLUMN failures jsonb;
