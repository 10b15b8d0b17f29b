-- The lists of an owner's spaces by title and by visits, for owners with many: an index has
-- their rows in order, so a page does not sort all spaces of the owner.
CREATE INDEX spaces_by_title ON spaces (owner_id, title, sequence);
CREATE INDEX spaces_by_visits ON spaces (owner_id, visit_count, sequence);
