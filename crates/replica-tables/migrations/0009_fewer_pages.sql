-- A page of a backlog touches most threads at random, so that what it writes is the pages of the tables and indexes that
-- have an entry for each of them: these become fewer and smaller.

-- What a row of a list shows of a newest item is read with the item itself, unless that is long.
CREATE TABLE previews (
    item    INTEGER PRIMARY KEY REFERENCES items(id) ON DELETE CASCADE,
    preview TEXT    NOT NULL
) STRICT;
INSERT INTO previews
SELECT i.id, t.preview FROM threads t JOIN items i ON i.id = t.last_item WHERE octet_length(i.content) > 4096;
ALTER TABLE threads DROP COLUMN preview;

-- The latest actors of a thread say when they acted, so that a new one is put among them without a query.
UPDATE threads SET actors = (
    SELECT json_group_array(json_object('id', a.actor, 'name', a.name, 'at', a.last_at)) FROM (
        SELECT actor, name, last_at FROM thread_actors WHERE thread = threads.id ORDER BY last_at DESC, actor LIMIT 3) a)
WHERE actors <> '[]';

-- People are of one source, and go with it.
CREATE TABLE people_of_sources (
    source  INTEGER NOT NULL REFERENCES sources(id),
    actor   TEXT    NOT NULL,
    name    TEXT    NOT NULL,
    last_at INTEGER NOT NULL,
    PRIMARY KEY (source, actor)
) STRICT, WITHOUT ROWID;
INSERT INTO people_of_sources
SELECT t.source, a.actor, a.name, max(a.last_at) FROM thread_actors a JOIN threads t ON t.id = a.thread GROUP BY 1, 2;
DROP TABLE people;
ALTER TABLE people_of_sources RENAME TO people;
CREATE INDEX people_latest ON people (last_at);
DROP INDEX thread_actors_actor;
DROP INDEX thread_actors_latest;

-- The unread items of a thread are found in the index of its items.
DROP INDEX items_unread_thread;
DROP INDEX items_thread;
CREATE INDEX items_thread ON items (thread, listed_at, id, unread);

-- The words of a whole page are held in memory, in bytes, and become one segment of the index. Merging
-- sixteen segments of a size, not four, would save a tenth of what is written, but a mark would wait 100 ms for a merge.
INSERT INTO search (search, rank) VALUES ('hashsize', 8388608);
