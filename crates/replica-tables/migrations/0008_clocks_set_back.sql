-- Finds what woke and sleeps again, because the clock by which it woke was set back.
CREATE INDEX items_woken ON items (source, snoozed_until) WHERE asleep = 0 AND snoozed_until IS NOT NULL;
