-- The spaces that a browser splat trainer shares: their owners have put its block into the
-- space. The gallery of all accounts and the list of one account read no other spaces.
CREATE INDEX spaces_public_shared ON spaces (sequence) WHERE privacy = 'Public' AND jsonb_typeof(data->'splatjs') = 'object';
CREATE INDEX spaces_shared ON spaces (owner_id, sequence) WHERE jsonb_typeof(data->'splatjs') = 'object';
