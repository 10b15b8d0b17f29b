-- What a running job does, as data beside the English message: a step, how much of it is done, and
-- the attempt that reported it. A version that does not know these columns changes only the message
-- and the attempt, so a step of another attempt is out of date.
ALTER TABLE jobs
    ADD COLUMN step_name    text,
    ADD COLUMN step_done    bigint,
    ADD COLUMN step_total   bigint,
    ADD COLUMN step_attempt integer;
