-- When the space or one of its entities last changed, to within a second: writers of
-- entities do not wait for the row of their space. changed_at is for the space alone.
ALTER TABLE spaces ADD COLUMN touched_at timestamptz NOT NULL DEFAULT now();
UPDATE spaces AS s SET touched_at = greatest(
    s.changed_at, (SELECT max(e.changed_at) FROM entities AS e WHERE e.space_id = s.id));

-- The order CHANGED_AT and the filter changedSince are by this time.
DROP INDEX spaces_public_by_change;
DROP INDEX spaces_by_change;
CREATE INDEX spaces_public_by_touch ON spaces (touched_at, sequence) WHERE privacy = 'Public';
CREATE INDEX spaces_by_touch ON spaces (owner_id, touched_at, sequence);
