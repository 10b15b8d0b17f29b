-- How many visits a space had on each day, in UTC. The statement that counts a visit counts it
-- here too, so the days since this migration add up to what visit_count has grown by.
CREATE TABLE daily_visits (
    space_id text NOT NULL REFERENCES spaces ON DELETE CASCADE,
    day      date NOT NULL,
    visits   bigint NOT NULL,
    PRIMARY KEY (space_id, day)
);
