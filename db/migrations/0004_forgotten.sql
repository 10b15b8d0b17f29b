-- Uploads of which nothing is kept are deleted once their addresses are dead.
CREATE INDEX uploads_forgotten ON uploads (expires_at) WHERE state IN ('discarded', 'failed');
