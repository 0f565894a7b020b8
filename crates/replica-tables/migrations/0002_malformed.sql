-- Items that were passed by, either because they were too large (0) or because they could not be read (1).
ALTER TABLE skipped ADD COLUMN malformed INTEGER NOT NULL DEFAULT 0;
