-- One index for every list of threads in place of four: a list is a few stretches of it, merged. It is what a pull
-- writes most often.
DROP INDEX threads_place;
DROP INDEX threads_kind;
DROP INDEX threads_source;
DROP INDEX threads_unread;
CREATE INDEX threads_list  ON threads (place, kind, source, unread > 0, last_at, id);
CREATE INDEX threads_muted ON threads (last_at, id) WHERE muted = 1 AND place < 3;

-- Who ever did something, by the name that was used last: what completes `from:`.
CREATE TABLE people (
    actor   TEXT    PRIMARY KEY,
    name    TEXT    NOT NULL,
    last_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO people (actor, name, last_at) SELECT actor, name, max(last_at) FROM thread_actors GROUP BY actor;

-- Queries that were kept.
CREATE TABLE searches (
    id       INTEGER PRIMARY KEY AUTOINCREMENT,
    position INTEGER NOT NULL,
    name     TEXT    NOT NULL,
    query    TEXT    NOT NULL
) STRICT;

-- The search index holds more of an item than it did: from which item on its rows are still to be written anew.
CREATE TABLE reindex (next INTEGER PRIMARY KEY) STRICT;
INSERT INTO reindex (next) SELECT 0 WHERE EXISTS (SELECT 1 FROM items);
