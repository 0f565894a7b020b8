-- Which of a source's items are the user's own is decided anew from this item on, by name; none where that is done.
ALTER TABLE sources ADD COLUMN own_from TEXT;
-- The source is kept without being pulled: what waits to be sent to it is being given up.
ALTER TABLE sources ADD COLUMN clearing INTEGER NOT NULL DEFAULT 0;
-- Marks that take more than one transaction. They are carried out once all their steps are written down.
CREATE TABLE mark_jobs (
    id    INTEGER PRIMARY KEY AUTOINCREMENT,
    ready INTEGER NOT NULL
) STRICT;
-- What is still to be done of them, as JSON, in this order; a step is one transaction, or a few of the same kind.
CREATE TABLE mark_steps (
    seq  INTEGER PRIMARY KEY AUTOINCREMENT,
    job  INTEGER NOT NULL REFERENCES mark_jobs(id),
    step TEXT    NOT NULL CHECK (json_valid(step))
) STRICT;
CREATE INDEX mark_steps_job ON mark_steps (job, seq);
