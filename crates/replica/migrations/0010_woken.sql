-- When the thread last came back from a snooze: lists sort it by that while nothing in it is newer.
ALTER TABLE threads ADD COLUMN woken_at INTEGER;

-- What came back from a snooze unread, until it is decided whether that deserves a toast; it survives the end of the program.
CREATE TABLE woken (
    item INTEGER PRIMARY KEY REFERENCES items(id) ON DELETE CASCADE
) STRICT;
