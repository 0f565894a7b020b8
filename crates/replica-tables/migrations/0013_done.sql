-- A thread with anything archived is in Done, also while other items of it are in the inbox: sorted by the newest archived one.
ALTER TABLE threads ADD COLUMN done_at INTEGER;
-- A thread that is archived as a whole has that time already, unless it came back from a snooze.
UPDATE threads SET done_at = iif(place = 2 AND woken_at IS NOT last_at, last_at, (
    SELECT listed_at FROM items
    WHERE thread = threads.id AND deleted = 0 AND archived_at IS NOT NULL
    ORDER BY listed_at DESC LIMIT 1))
WHERE archived > 0;
CREATE INDEX threads_done ON threads (kind, source, done_at, id) WHERE done_at IS NOT NULL;
-- Threads that are archived as a whole are counted apart.
ALTER TABLE counters ADD COLUMN archived_threads INTEGER NOT NULL DEFAULT 0;
UPDATE counters SET archived_threads = done_threads, done_threads = (
    SELECT count(*) FROM threads t INDEXED BY threads_done
    WHERE t.kind = counters.kind AND t.source = counters.source AND t.done_at IS NOT NULL);
