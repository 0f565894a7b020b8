-- An operation on everything up to a time that the server answered: 1 applied, 0 refused. It leaves the outbox once all that
-- it was laid over is settled, in portions, by item key.
ALTER TABLE outbox ADD COLUMN answered INTEGER;
-- The key of the last item that is settled.
ALTER TABLE outbox ADD COLUMN settled_to INTEGER NOT NULL DEFAULT 0;
CREATE INDEX outbox_answered ON outbox (source, seq) WHERE answered IS NOT NULL;
-- What was answered does not wait any more.
DROP INDEX outbox_waiting;
CREATE INDEX outbox_waiting ON outbox (source) WHERE act <> 'seen' AND answered IS NULL;
