-- Whether pages run the plugins of a Public or Link Only space for its visitors. The owner
-- of a space always sees them.
ALTER TABLE spaces ADD COLUMN plugins_for_visitors boolean NOT NULL DEFAULT false;
