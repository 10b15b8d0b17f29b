-- Why a delivery failed, and why a webhook was disabled, is data, and the sentences are made from
-- it. The columns error and disabled_reason have the sentences of the rows from before.
ALTER TABLE webhook_deliveries ADD COLUMN failure jsonb;
ALTER TABLE webhooks
    ADD COLUMN disabled_cause   text,
    ADD COLUMN disabled_failure jsonb;
