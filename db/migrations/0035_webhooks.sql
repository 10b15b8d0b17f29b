-- The addresses that an account's events are sent to. The secret is sealed, not hashed: the
-- server signs with it. A former secret signs too until it ends, so that a receiver can change.
CREATE TABLE webhooks (
    id              text PRIMARY KEY,
    sequence        bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
    user_id         text NOT NULL REFERENCES users ON DELETE CASCADE,
    url             text NOT NULL,
    events          text[] NOT NULL,
    sealed          bytea NOT NULL,
    former_sealed   bytea,
    former_until    timestamptz,
    created_at      timestamptz NOT NULL DEFAULT now(),
    failing_since   timestamptz,
    disabled_at     timestamptz,
    disabled_reason text NOT NULL DEFAULT ''
);
CREATE INDEX webhooks_by_user ON webhooks (user_id, sequence);

-- The events, each in the transaction of the change that it reports: the outbox, and once a row
-- has ended the log. The events of one stream are delivered one after the other, in order.
CREATE TABLE webhook_deliveries (
    sequence        bigint NOT NULL GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id              text NOT NULL UNIQUE DEFAULT 'msg_' || replace(gen_random_uuid()::text, '-', ''),
    webhook_id      text NOT NULL REFERENCES webhooks ON DELETE CASCADE,
    stream          text NOT NULL, -- the id of the space, or jobs
    type            text NOT NULL,
    payload         text NOT NULL, -- the bytes that are signed
    created_at      timestamptz NOT NULL DEFAULT now(),
    attempts        integer NOT NULL DEFAULT 0,
    attempted_at    timestamptz,
    next_at         timestamptz NOT NULL DEFAULT now(),
    ended_at        timestamptz,
    delivered       boolean NOT NULL DEFAULT false,
    response_status integer NOT NULL DEFAULT 0,
    error           text NOT NULL DEFAULT '',
    duration_ms     integer NOT NULL DEFAULT 0
);
CREATE INDEX webhook_deliveries_waiting ON webhook_deliveries (webhook_id, stream, sequence) WHERE ended_at IS NULL;
CREATE INDEX webhook_deliveries_by_webhook ON webhook_deliveries (webhook_id, sequence);
CREATE INDEX webhook_deliveries_by_end ON webhook_deliveries (ended_at) WHERE ended_at IS NOT NULL;

-- A notification of a disabled webhook is about no space. Its text is the webhook's address.
ALTER TABLE notifications
    ALTER COLUMN space_id DROP NOT NULL,
    DROP CONSTRAINT notifications_type_check,
    ADD CONSTRAINT notifications_type_check
        CHECK (type IN ('space-published', 'space-taken-down', 'space-restored', 'webhook-disabled'));
