-- What stays of a batch when its day has gone, where the operator asks for it (outbox.ledger_days): that it was stored,
-- and when. So a batch that is repeated past the horizon is refused instead of sent again. Months, because a look-up
-- probes each partition: thirteen for a year. No index contains the time (V004__keys_without_time.sql); each month has
-- its own primary key.
CREATE TABLE telegram_outbox_ledger (
    -- Half a SHA-256 over tenant and batch id, in the one fixed-size type of 16 bytes.
    batch_hash uuid        NOT NULL,
    stored_at  timestamptz NOT NULL
) PARTITION BY RANGE (stored_at);

-- 0: nothing is written and nothing looked up.
ALTER TABLE tailrace.outbox_settings ADD COLUMN ledger_days integer NOT NULL DEFAULT 0
    CONSTRAINT outbox_settings_ledger_days_check CHECK (ledger_days BETWEEN 0 AND 3650);
