-- A source that is being removed: it is seen by nobody any more, and its rows go in portions.
ALTER TABLE sources ADD COLUMN going INTEGER NOT NULL DEFAULT 0;
