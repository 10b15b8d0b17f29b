-- Logical replication, such as that of managed upgrades, refuses to delete rows of a table without
-- a replica identity. The index exists since migration 0058, so the table is locked for a moment
-- only.
ALTER TABLE changes ADD CONSTRAINT changes_order PRIMARY KEY USING INDEX changes_order;
