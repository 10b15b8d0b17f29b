-- The spaces that changed lately, of all owners: where a worker looks for events of webhooks.
CREATE INDEX spaces_touched ON spaces (touched_at);
