-- The clock of each source's server minus this machine's, in microseconds, as of the last connection.
ALTER TABLE sources ADD COLUMN clock_offset INTEGER NOT NULL DEFAULT 0;
-- What sleeps, and what asks, ends by the clock of its source.
DROP INDEX items_asleep;
DROP INDEX items_asking;
CREATE INDEX items_asleep ON items (source, snoozed_until) WHERE asleep = 1;
CREATE INDEX items_asking ON items (source, question_due) WHERE question_due > 0;
-- JSON: the marks with the operations that the server answered on top. It may have had marks of later times, so they
-- are an assumption until it names the item in a pull, or a complete pull does not.
ALTER TABLE server_state ADD COLUMN assumed TEXT;
CREATE INDEX server_state_assumed ON server_state (item) WHERE assumed IS NOT NULL;
