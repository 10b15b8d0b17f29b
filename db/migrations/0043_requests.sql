-- The requests that all servers answered, by minute, for plots. Each server adds what it counted
-- every few seconds, so a request writes nothing.
CREATE TABLE request_counts (
    at       timestamptz PRIMARY KEY,
    requests bigint NOT NULL,
    errors   bigint NOT NULL
);
