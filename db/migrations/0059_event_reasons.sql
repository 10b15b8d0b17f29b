-- What an event says is data, and the sentence is made from it. The column detail has the sentences
-- of the events from before. NOT VALID leaves out a scan of the table, which would block readers:
-- the rows from before have no value to check.
ALTER TABLE audit_events
    ADD COLUMN title           text,
    ADD COLUMN reason          text,
    ADD COLUMN takedown_reason text,
    ADD COLUMN changes         jsonb,
    ADD CONSTRAINT audit_events_title CHECK (length(title) <= 512) NOT VALID,
    ADD CONSTRAINT audit_events_reason CHECK (length(reason) <= 64) NOT VALID,
    ADD CONSTRAINT audit_events_takedown_reason CHECK (length(takedown_reason) <= 64) NOT VALID,
    ADD CONSTRAINT audit_events_changes CHECK (octet_length(changes::text) <= 1024) NOT VALID;
