CREATE TABLE sources (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    name       TEXT    NOT NULL UNIQUE,
    protocol   TEXT    NOT NULL,
    url        TEXT    NOT NULL,
    user       TEXT,
    own        INTEGER NOT NULL,
    paused     INTEGER NOT NULL,
    position   INTEGER NOT NULL,
    cursor     TEXT,
    epoch      TEXT,
    -- Counts the histories that were pulled: rows of an older one take whatever comes, whatever its stamp.
    generation INTEGER NOT NULL,
    -- Counts pulls and sendings, to tell which came first.
    tick       INTEGER NOT NULL,
    -- A refused operation on everything: the next pull is taken as it comes, also against local marks.
    retake     INTEGER NOT NULL,
    complete   INTEGER NOT NULL,
    last_pull  INTEGER,
    -- The server's unread numbers, while its backlog is not in.
    counts     TEXT,
    catalog    TEXT
) STRICT;

-- What items of auto class are read by. `through` is in force; `server` is what the server said last.
CREATE TABLE views (
    id      INTEGER PRIMARY KEY,
    source  INTEGER NOT NULL REFERENCES sources(id),
    view    TEXT    NOT NULL,
    through INTEGER,
    server  INTEGER,
    stamp   INTEGER NOT NULL,
    generation INTEGER NOT NULL,
    -- The source's tick when the server spoke last.
    heard   INTEGER NOT NULL,
    UNIQUE (source, view)
) STRICT;

CREATE TABLE threads (
    id            INTEGER PRIMARY KEY AUTOINCREMENT,
    source        INTEGER NOT NULL REFERENCES sources(id),
    key           TEXT    NOT NULL,
    kind          INTEGER NOT NULL,
    -- 0 inbox, 1 snoozed, 2 done, 3 without items
    place         INTEGER NOT NULL,
    last_at       INTEGER NOT NULL,
    last_item     INTEGER NOT NULL,
    last_priority INTEGER NOT NULL,
    total         INTEGER NOT NULL,
    archived      INTEGER NOT NULL,
    asleep        INTEGER NOT NULL,
    unread        INTEGER NOT NULL,
    unseen        INTEGER NOT NULL,
    -- Unread items by priority.
    unread1       INTEGER NOT NULL,
    unread2       INTEGER NOT NULL,
    unread3       INTEGER NOT NULL,
    unread4       INTEGER NOT NULL,
    unread5       INTEGER NOT NULL,
    wake_at       INTEGER,
    pinned        INTEGER NOT NULL,
    muted         INTEGER NOT NULL,
    actor_count   INTEGER NOT NULL,
    actors        TEXT    NOT NULL,
    last          TEXT    NOT NULL,
    UNIQUE (source, key)
) STRICT;
CREATE INDEX threads_place  ON threads (place, last_at, id);
CREATE INDEX threads_kind   ON threads (kind, last_at, id) WHERE place = 0;
CREATE INDEX threads_source ON threads (source, last_at, id) WHERE place = 0;
CREATE INDEX threads_unread ON threads (last_at, id) WHERE place = 0 AND unread > 0;
CREATE INDEX threads_pinned ON threads (last_at, id) WHERE pinned = 1 AND place < 3;

CREATE TABLE thread_actors (
    thread  INTEGER NOT NULL REFERENCES threads(id),
    actor   TEXT    NOT NULL,
    name    TEXT    NOT NULL,
    last_at INTEGER NOT NULL,
    items   INTEGER NOT NULL,
    PRIMARY KEY (thread, actor)
) STRICT, WITHOUT ROWID;

CREATE TABLE items (
    id            INTEGER PRIMARY KEY,
    source        INTEGER NOT NULL,
    msgid         TEXT    NOT NULL,
    thread        INTEGER NOT NULL REFERENCES threads(id),
    generation    INTEGER NOT NULL,
    stamp         INTEGER NOT NULL,
    version       INTEGER NOT NULL,
    kind          INTEGER NOT NULL,
    created_at    INTEGER NOT NULL,
    actor         TEXT    NOT NULL,
    actor_name    TEXT    NOT NULL,
    action        TEXT,
    own           INTEGER NOT NULL,
    priority      INTEGER NOT NULL,
    -- Of auto class: the view whose mark decides whether it is read; `read_at` is then empty.
    view          INTEGER REFERENCES views(id),
    seen_at       INTEGER,
    read_at       INTEGER,
    archived_at   INTEGER,
    snoozed_until INTEGER,
    asleep        INTEGER NOT NULL,
    -- Deleted here; the row goes when the server's tombstone comes.
    deleted       INTEGER NOT NULL,
    unread        INTEGER NOT NULL,
    title         TEXT    NOT NULL,
    body          TEXT    NOT NULL,
    -- Target, conversation, format, tags, url, icon, actions, attachment, data, receipt, as far as they are there.
    rest          TEXT    NOT NULL,
    UNIQUE (source, msgid)
) STRICT;
CREATE INDEX items_thread        ON items (thread, created_at, id);
CREATE INDEX items_time          ON items (created_at, id);
CREATE INDEX items_kind          ON items (kind, created_at, id);
CREATE INDEX items_unread        ON items (created_at, id) WHERE unread = 1;
CREATE INDEX items_unread_thread ON items (thread) WHERE unread = 1;
CREATE INDEX items_asleep        ON items (snoozed_until) WHERE asleep = 1;
CREATE INDEX items_view          ON items (view, created_at) WHERE view IS NOT NULL;

-- What the server deleted, so that an older page cannot bring it back.
CREATE TABLE tombstones (
    source     INTEGER NOT NULL REFERENCES sources(id),
    msgid      TEXT    NOT NULL,
    generation INTEGER NOT NULL,
    stamp      INTEGER NOT NULL,
    PRIMARY KEY (source, msgid)
) STRICT, WITHOUT ROWID;

CREATE VIRTUAL TABLE search USING fts5(
    title, body, actor, target,
    content='', contentless_delete=1, tokenize='unicode61 remove_diacritics 2'
);

-- Unread numbers by the items' kind; badge and places by the threads' kind.
CREATE TABLE counters (
    source         INTEGER NOT NULL REFERENCES sources(id),
    kind           INTEGER NOT NULL,
    items          INTEGER NOT NULL,
    unread         INTEGER NOT NULL,
    badge          INTEGER NOT NULL,
    unseen         INTEGER NOT NULL,
    inbox          INTEGER NOT NULL,
    unread_threads INTEGER NOT NULL,
    pinned         INTEGER NOT NULL,
    snoozed        INTEGER NOT NULL,
    done           INTEGER NOT NULL,
    PRIMARY KEY (source, kind)
) STRICT, WITHOUT ROWID;

CREATE TABLE outbox (
    seq        INTEGER PRIMARY KEY AUTOINCREMENT,
    id         TEXT    NOT NULL UNIQUE,
    source     INTEGER NOT NULL REFERENCES sources(id),
    change     TEXT    NOT NULL,
    -- The same in short: what it does, until when (snooze) or through when (read_all), and to which kind (read_all).
    act        TEXT    NOT NULL,
    at         INTEGER,
    kind       INTEGER,
    written_at INTEGER NOT NULL,
    -- The source's tick when it was sent last; 0 = not yet.
    sent       INTEGER NOT NULL
) STRICT;
CREATE INDEX outbox_source ON outbox (source, seq);

-- Which items and views an operation that waits acts on.
CREATE TABLE outbox_items (
    op     INTEGER NOT NULL REFERENCES outbox(seq),
    item   INTEGER NOT NULL,
    thread INTEGER NOT NULL,
    PRIMARY KEY (op, item)
) STRICT, WITHOUT ROWID;
CREATE INDEX outbox_items_item   ON outbox_items (item);
CREATE INDEX outbox_items_thread ON outbox_items (thread);
CREATE TABLE outbox_views (
    op      INTEGER NOT NULL REFERENCES outbox(seq),
    view    INTEGER NOT NULL REFERENCES views(id),
    -- 1: the mark moves forward to `at` if it is not there yet; 0: back to it.
    forward INTEGER NOT NULL,
    at      INTEGER NOT NULL,
    PRIMARY KEY (op, view)
) STRICT, WITHOUT ROWID;
CREATE INDEX outbox_views_view ON outbox_views (view);

-- What the server says of items on which an operation waits.
CREATE TABLE held (
    item          INTEGER PRIMARY KEY REFERENCES items(id),
    seen_at       INTEGER,
    read_at       INTEGER,
    archived_at   INTEGER,
    snoozed_until INTEGER,
    -- The source's tick when the server said so; 0 = before anything waited.
    heard         INTEGER NOT NULL
) STRICT;

CREATE TABLE outgoing (
    seq          INTEGER PRIMARY KEY AUTOINCREMENT,
    id           TEXT    NOT NULL UNIQUE,
    source       INTEGER NOT NULL REFERENCES sources(id),
    conversation TEXT    NOT NULL,
    message      TEXT    NOT NULL,
    written_at   INTEGER NOT NULL,
    refused      TEXT
) STRICT;
CREATE INDEX outgoing_source ON outgoing (source, conversation);

CREATE TABLE settings (
    key   TEXT PRIMARY KEY,
    value TEXT NOT NULL
) STRICT, WITHOUT ROWID;
