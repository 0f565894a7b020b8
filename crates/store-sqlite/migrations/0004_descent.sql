-- Which token made which: what a token made goes with it.

-- The token that made it; empty where none did. One whose maker is gone is valid no more, nor is what it made.
ALTER TABLE tokens ADD COLUMN made_by TEXT NOT NULL DEFAULT '';

CREATE INDEX tokens_by_maker ON tokens (made_by) WHERE made_by <> '';
