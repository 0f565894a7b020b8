-- When it was asked in place of an earlier question: the stamp of the content that asks it. 0 for a first one. An answer
-- that was given before is none to this one.
ALTER TABLE open_questions ADD COLUMN asked_at INTEGER NOT NULL DEFAULT 0;
