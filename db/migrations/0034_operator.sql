-- Accounts that may operate the server in a browser.
CREATE TABLE operators (
    user_id    text PRIMARY KEY REFERENCES users ON DELETE CASCADE,
    created_at timestamptz NOT NULL DEFAULT now()
);

-- Accounts that an operator has disabled. Their access has ended, and no new access begins.
CREATE TABLE disabled_accounts (
    user_id    text PRIMARY KEY REFERENCES users ON DELETE CASCADE,
    reason     text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now()
);

-- Spaces that an operator has taken down, and why.
CREATE TABLE takedowns (
    space_id   text PRIMARY KEY REFERENCES spaces ON DELETE CASCADE,
    reason     text NOT NULL,
    text       text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now()
);

-- Spaces that are Private because they were taken down, or because their owner was disabled,
-- with the privacy that the owner chose. So no statement that reads a space or an entity needs
-- another condition.
CREATE TABLE hidden_spaces (
    space_id text PRIMARY KEY REFERENCES spaces ON DELETE CASCADE,
    privacy  text NOT NULL
);

-- A hidden space stays Private. It is a trigger because every way to change a space passes it,
-- and because it reads what was committed while the statement waited for the row. It runs only
-- for statements that set the privacy.
CREATE FUNCTION keep_hidden_space() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT FROM hidden_spaces WHERE space_id = NEW.id) THEN
        IF NEW.privacy <> 'Private' THEN
            RAISE EXCEPTION 'space is hidden' USING ERRCODE = 'PQ403';
        ELSIF OLD.privacy = 'Private' THEN
            -- The owner chose Private meanwhile.
            UPDATE hidden_spaces SET privacy = 'Private' WHERE space_id = NEW.id;
        END IF;
    END IF;
    RETURN NULL;
END
$$;
CREATE TRIGGER spaces_hidden AFTER UPDATE OF privacy ON spaces
    FOR EACH ROW EXECUTE FUNCTION keep_hidden_space();

-- What visitors report of spaces. The reporter is the id of an account, or of a visitor, which
-- changes every day and reveals no address.
CREATE TABLE reports (
    id         text PRIMARY KEY DEFAULT gen_random_uuid()::text,
    sequence   bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
    space_id   text NOT NULL REFERENCES spaces ON DELETE CASCADE,
    reporter   text NOT NULL,
    reason     text NOT NULL,
    text       text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    closed_at  timestamptz
);
CREATE INDEX reports_open ON reports (space_id, sequence) WHERE closed_at IS NULL;
CREATE INDEX reports_by_reporter ON reports (reporter, created_at);

-- Who acted, where it was not the account itself.
ALTER TABLE audit_events ADD COLUMN actor_id text CHECK (length(actor_id) <= 64);

-- Operators read the events of all accounts in this order.
CREATE UNIQUE INDEX audit_events_by_sequence ON audit_events (sequence);

-- What notifications of the operator say.
ALTER TABLE notifications
    ADD COLUMN text text,
    DROP CONSTRAINT notifications_type_check,
    ADD CONSTRAINT notifications_type_check CHECK (type IN ('space-published', 'space-taken-down', 'space-restored'));

-- The state of the server every few minutes, for plots.
CREATE TABLE samples (
    at            timestamptz PRIMARY KEY,
    storage_bytes bigint NOT NULL,
    files         bigint NOT NULL,
    accounts      bigint NOT NULL,
    spaces        bigint NOT NULL,
    jobs_waiting  bigint NOT NULL,
    jobs_running  bigint NOT NULL,
    jobs_failed   bigint NOT NULL
);
