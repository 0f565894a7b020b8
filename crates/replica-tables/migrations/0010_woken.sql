-- When the thread last came back from a snooze: lists sort it by that while nothing in it is newer.
ALTER TABLE threads ADD COLUMN woken_at INTEGER;

-- What came back from a snooze unread, until it is decided whether that deserves a toast; it survives the end of the program.
CREATE TABLE woken (
    item INTEGER PRIMARY KEY REFERENCES items(id) ON DELETE CASCADE
) STRICT;

-- The row of a thread shows the newest of the items that put it where it is: what is archived decides no row of the inbox, and
-- what sleeps decides none beside what is there. Threads with items of several sorts are few.
UPDATE threads SET (last_at, last_item, last_priority) = (
    SELECT listed_at, id, priority FROM items
    WHERE thread = threads.id AND deleted = 0 AND archived_at IS NULL AND asleep = (threads.place = 1)
    ORDER BY listed_at DESC, id DESC LIMIT 1)
WHERE place < 2 AND archived + asleep > 0 AND total > archived AND (place = 0 OR archived > 0);
-- Finds the threads of the inbox whose newest item may be archived or asleep.
CREATE INDEX threads_mixed ON threads (source) WHERE place < 2 AND archived + asleep > 0;
