-- What an operator lists is what went wrong: few rows among millions that did not.
-- A column of its own, and not an index on state: the rewrite of a row when its part ends is a heap-only one as long as
-- no indexed column changes its value (https://www.postgresql.org/docs/17/storage-hot.html), columns of an index's
-- predicate included. This one stays null on the main road, for a part that is delivered.
-- It does not say that it is still so: a part that was revived has a row in telegram_outbox_inflight, and that counts.
ALTER TABLE telegram_outbox ADD COLUMN unresolved text
    GENERATED ALWAYS AS (CASE WHEN state IN ('ambiguous', 'dead_letter', 'expired', 'cancelled') THEN state END) STORED;

CREATE INDEX telegram_outbox_unresolved ON telegram_outbox (tenant_id, unresolved, id) WHERE unresolved IS NOT NULL;
