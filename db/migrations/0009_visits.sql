-- Who was counted as a visitor of a space, and when: a visit is counted once per
-- viewer and half hour. Rows that are older mean nothing and are purged, so the
-- table has what half an hour brings.
CREATE TABLE visits (
    space_id   text        NOT NULL REFERENCES spaces ON DELETE CASCADE,
    viewer     text        NOT NULL,
    counted_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (space_id, viewer)
);
CREATE INDEX visits_by_time ON visits (counted_at);
