-- What an operator lists is what went wrong: few rows among millions that did not. Partial, so that an enqueue, and a
-- part that is delivered, write nothing here. The state alone does not say that it is still so: a part that was revived
-- has a row in telegram_outbox_inflight, and that one counts.
CREATE INDEX telegram_outbox_unresolved ON telegram_outbox (tenant_id, state, id)
    WHERE state IN ('ambiguous', 'dead_letter', 'expired', 'cancelled');
