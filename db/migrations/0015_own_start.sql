-- The view that the owner of a file chose for its visitors, in place of the one that was
-- found. The found one is kept, so that the choice can be withdrawn.
ALTER TABLE files ADD COLUMN own_start jsonb;
