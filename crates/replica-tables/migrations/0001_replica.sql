-- The local replica of a person's inbox. Times are microseconds since 1970, UTC. Flags are 0 or 1.
-- kind: 1 announcement, 2 reminder, 3 message. place (of a thread): 0 inbox, 1 snoozed, 2 done, 3 without items.
-- notify_level: 0 toast, 1 badge, 2 nothing; NULL: as the wider setting (thread: its source; source: the settings).

-- ---- Sources: what the inbox pulls from ----

CREATE TABLE sources (
    id                   INTEGER PRIMARY KEY AUTOINCREMENT,
    name                 TEXT    NOT NULL UNIQUE,
    protocol             TEXT    NOT NULL,
    url                  TEXT    NOT NULL,
    user                 TEXT,
    -- The server that the app itself runs; at most one.
    own                  INTEGER NOT NULL,
    paused               INTEGER NOT NULL,
    paused_at            INTEGER,
    position             INTEGER NOT NULL,
    notify_level         INTEGER,
    notify_from_priority INTEGER,
    notify_sound         INTEGER,
    -- Whether the icons that publishers name are fetched without being asked for.
    show_icons           INTEGER NOT NULL DEFAULT 0,
    catalog              TEXT,
    -- The largest file that the server takes with a message, in bytes; none where it takes none.
    attachment_bytes     INTEGER,
    -- The stamp of the item that changed last, of a service that keeps none: the next change gets a later one.
    stamp                INTEGER NOT NULL DEFAULT 0,
    -- The pull: where the next one starts, and to which history of the server that belongs.
    cursor               TEXT,
    epoch                TEXT,
    -- Counts the histories that were pulled: rows of an older one take whatever comes, whatever its stamp.
    generation           INTEGER NOT NULL,
    -- A logical clock: counts pulls and sendings, to tell whether the server spoke before or after an operation was sent.
    tick                 INTEGER NOT NULL,
    -- An operation on everything was refused: until the next complete pull the server wins over local marks.
    server_wins          INTEGER NOT NULL,
    complete             INTEGER NOT NULL,
    last_pull            INTEGER,
    -- The server asked for no request before the one time, and for no pull that nobody asked for before the other.
    not_before           INTEGER,
    poll_not_before      INTEGER,
    -- JSON: the server's own unread counts, shown until its backlog is in.
    server_counts        TEXT,
    -- The server's retention removed every item created before `forgotten_before`; here they are gone up to `swept_to`.
    forgotten_before     INTEGER,
    swept_to             INTEGER,
    -- Work in several transactions that is not finished: the source is being removed (and hidden from everybody); what
    -- waits to be sent to it is being discarded, for it is kept without being pulled; which items are the user's own is
    -- being decided anew from this msgid on.
    removing             INTEGER NOT NULL DEFAULT 0,
    discarding           INTEGER NOT NULL DEFAULT 0,
    own_recheck_from     TEXT
) STRICT;
CREATE UNIQUE INDEX sources_own ON sources (own) WHERE own <> 0;

-- Items that were too large to be taken, by their position in the source's history.
CREATE TABLE skipped (
    source   INTEGER NOT NULL REFERENCES sources(id),
    position TEXT    NOT NULL,
    msgid    TEXT    NOT NULL,
    at       INTEGER NOT NULL,
    PRIMARY KEY (source, position)
) STRICT, WITHOUT ROWID;

-- ---- Threads, items, and the views by which items of auto class are read ----

-- A view's mark: items of auto class with content up to `through` are read.
CREATE TABLE views (
    id              INTEGER PRIMARY KEY,
    source          INTEGER NOT NULL REFERENCES sources(id),
    view            TEXT    NOT NULL,
    -- The mark in force: the server's with what waits in the outbox.
    through         INTEGER,
    -- The server's mark, its stamp, and the source's generation and tick when it was received.
    server_through  INTEGER,
    stamp           INTEGER NOT NULL,
    generation      INTEGER NOT NULL,
    server_tick     INTEGER NOT NULL,
    -- Where the server's mark is assumed to be after operations that it answered; until it names the view in a pull, or
    -- a complete pull does not.
    assumed_through INTEGER,
    -- In a conversation with one person: up to when the other has read it, and when that was.
    peer_through    INTEGER,
    peer_read_at    INTEGER,
    UNIQUE (source, view)
) STRICT;
CREATE INDEX views_assumed ON views (source) WHERE assumed_through IS NOT NULL;

CREATE TABLE threads (
    id                   INTEGER PRIMARY KEY AUTOINCREMENT,
    source               INTEGER NOT NULL REFERENCES sources(id),
    key                  TEXT    NOT NULL,
    kind                 INTEGER NOT NULL,
    place                INTEGER NOT NULL,
    -- The newest item, and what a row of a list shows of it, as JSON.
    last_at              INTEGER NOT NULL,
    last_item            INTEGER NOT NULL,
    last_priority        INTEGER NOT NULL,
    preview              TEXT    NOT NULL,
    -- Counts of its items. `asleep` leaves out what is archived.
    total                INTEGER NOT NULL,
    archived             INTEGER NOT NULL,
    asleep               INTEGER NOT NULL,
    unread               INTEGER NOT NULL,
    unseen               INTEGER NOT NULL,
    unread_p1            INTEGER NOT NULL,
    unread_p2            INTEGER NOT NULL,
    unread_p3            INTEGER NOT NULL,
    unread_p4            INTEGER NOT NULL,
    unread_p5            INTEGER NOT NULL,
    wake_at              INTEGER,
    actor_count          INTEGER NOT NULL,
    -- JSON: the latest three of thread_actors.
    actors               TEXT    NOT NULL,
    pinned               INTEGER NOT NULL,
    -- A muted thread notifies of nothing; `notify_level` is then what it had before.
    muted                INTEGER NOT NULL,
    notify_level         INTEGER,
    notify_from_priority INTEGER,
    notify_sound         INTEGER,
    UNIQUE (source, key)
) STRICT;
-- One index for every list of threads: a list is a few key ranges of it, merged.
CREATE INDEX threads_list   ON threads (place, kind, source, unread > 0, last_at, id);
CREATE INDEX threads_pinned ON threads (last_at, id) WHERE pinned = 1 AND place < 3;
CREATE INDEX threads_muted  ON threads (last_at, id) WHERE muted = 1 AND place < 3;

CREATE TABLE items (
    id              INTEGER PRIMARY KEY,
    source          INTEGER NOT NULL,
    msgid           TEXT    NOT NULL,
    thread          INTEGER NOT NULL REFERENCES threads(id),
    generation      INTEGER NOT NULL,
    stamp           INTEGER NOT NULL,
    version         INTEGER NOT NULL,
    kind            INTEGER NOT NULL,
    created_at      INTEGER NOT NULL,
    -- Of a service that keeps no stamps: its own time, where `created_at` is later, as others of the source share it.
    service_at      INTEGER,
    -- When its publisher revised it last; a view's mark covers an item from `content_at` on.
    revised_at      INTEGER,
    content_at      INTEGER AS (max(created_at, ifnull(revised_at, created_at))) VIRTUAL,
    actor           TEXT    NOT NULL,
    actor_name      TEXT    NOT NULL,
    action          TEXT,
    -- From the user itself.
    own             INTEGER NOT NULL,
    -- The priority in force, and the server's where a rule made it another.
    priority        INTEGER NOT NULL,
    server_priority INTEGER,
    -- Of auto class: the view whose mark decides whether it is read; `read_at` is then set only where the item is read by
    -- itself, or by a mark that has not come yet.
    view            INTEGER REFERENCES views(id),
    seen_at         INTEGER,
    read_at         INTEGER,
    archived_at     INTEGER,
    snoozed_until   INTEGER,
    -- `snoozed_until` has not passed.
    asleep          INTEGER NOT NULL,
    -- Deleted here; the row goes when the server's tombstone comes.
    deleted         INTEGER NOT NULL,
    unread          INTEGER NOT NULL,
    -- JSON: what its publisher wrote, except the priority and what has its default.
    content         TEXT    NOT NULL,
    -- JSON: what it is about, and for the user's own messages who has received and read them.
    target          TEXT,
    conversation    TEXT,
    receipt         TEXT,
    UNIQUE (source, msgid)
) STRICT;
CREATE INDEX items_thread        ON items (thread, created_at, id);
CREATE INDEX items_time          ON items (created_at, id);
CREATE INDEX items_kind          ON items (kind, created_at, id);
CREATE INDEX items_unread        ON items (created_at, id) WHERE unread = 1;
CREATE INDEX items_unread_thread ON items (thread) WHERE unread = 1;
CREATE INDEX items_asleep        ON items (snoozed_until) WHERE asleep = 1;
CREATE INDEX items_asleep_thread ON items (thread) WHERE asleep = 1;
CREATE INDEX items_archived      ON items (archived_at) WHERE archived_at IS NOT NULL;
CREATE INDEX items_view          ON items (view, content_at) WHERE view IS NOT NULL;
CREATE INDEX items_read_alone    ON items (view, read_at) WHERE view IS NOT NULL AND read_at IS NOT NULL;

-- What the server deleted, so that an older page cannot bring it back.
CREATE TABLE tombstones (
    source     INTEGER NOT NULL REFERENCES sources(id),
    msgid      TEXT    NOT NULL,
    generation INTEGER NOT NULL,
    stamp      INTEGER NOT NULL,
    PRIMARY KEY (source, msgid)
) STRICT, WITHOUT ROWID;

CREATE TABLE thread_actors (
    thread  INTEGER NOT NULL REFERENCES threads(id),
    actor   TEXT    NOT NULL,
    name    TEXT    NOT NULL,
    last_at INTEGER NOT NULL,
    items   INTEGER NOT NULL,
    PRIMARY KEY (thread, actor)
) STRICT, WITHOUT ROWID;
CREATE INDEX thread_actors_actor  ON thread_actors (actor);
CREATE INDEX thread_actors_latest ON thread_actors (thread, last_at DESC, actor);

-- Whoever acts in any thread, by the name that was used last: completes `from:` in a search.
CREATE TABLE people (
    actor   TEXT    PRIMARY KEY,
    name    TEXT    NOT NULL,
    last_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX people_latest ON people (last_at);

-- Rows are written with the items' own statements; `target` holds facets (kind, source, priority, file, link, action) as
-- well.
-- Words are also indexed by their first character, which is the commonest prefix that is typed.
CREATE VIRTUAL TABLE search USING fts5(
    title, body, actor, target,
    content='', contentless_delete=1, tokenize='unicode61 remove_diacritics 2', prefix='1'
);
-- The words of that index in their order, read from the index itself: what a mistyped word may have been.
CREATE VIRTUAL TABLE search_words USING fts5vocab(search, row);

-- Sums over items (by the items' kind) and threads (by the threads' kind). The unread items of threads that are not muted
-- are counted twelve times over, so that no item is counted when a preference changes: `inherited_…` of threads whose
-- source decides the notify level, `explicit_…` of threads that have one of their own. `…_unread_pN` counts those of
-- priority N in threads without a least priority of their own, `…_badge` those that reach their thread's own least
-- priority, `…_unseen` those that no list has shown.
CREATE TABLE counters (
    source              INTEGER NOT NULL REFERENCES sources(id),
    kind                INTEGER NOT NULL,
    items               INTEGER NOT NULL,
    unread              INTEGER NOT NULL,
    inbox_threads       INTEGER NOT NULL,
    unread_threads      INTEGER NOT NULL,
    pinned_threads      INTEGER NOT NULL,
    snoozed_threads     INTEGER NOT NULL,
    done_threads        INTEGER NOT NULL,
    inherited_badge     INTEGER NOT NULL,
    inherited_unread_p1 INTEGER NOT NULL,
    inherited_unread_p2 INTEGER NOT NULL,
    inherited_unread_p3 INTEGER NOT NULL,
    inherited_unread_p4 INTEGER NOT NULL,
    inherited_unread_p5 INTEGER NOT NULL,
    inherited_unseen    INTEGER NOT NULL,
    explicit_badge      INTEGER NOT NULL,
    explicit_unread_p1  INTEGER NOT NULL,
    explicit_unread_p2  INTEGER NOT NULL,
    explicit_unread_p3  INTEGER NOT NULL,
    explicit_unread_p4  INTEGER NOT NULL,
    explicit_unread_p5  INTEGER NOT NULL,
    explicit_unseen     INTEGER NOT NULL,
    PRIMARY KEY (source, kind)
) STRICT, WITHOUT ROWID;

-- ---- Local marks, until the server has taken them ----

CREATE TABLE outbox (
    seq        INTEGER PRIMARY KEY AUTOINCREMENT,
    id         TEXT    NOT NULL UNIQUE,
    source     INTEGER NOT NULL REFERENCES sources(id),
    -- The operation as it is sent (JSON), and in short: its name, until when (snooze) or through when (read_all), and to
    -- which kind (read_all).
    change     TEXT    NOT NULL,
    operation  TEXT    NOT NULL,
    at         INTEGER,
    kind       INTEGER,
    written_at INTEGER NOT NULL,
    -- The source's tick when it was sent first; 0 = not yet.
    sent_tick  INTEGER NOT NULL,
    -- read_all only: the server has answered (1 applied, 0 refused). It leaves the outbox once the items up to the key
    -- `settled_to` are all that it was laid over.
    answered   INTEGER,
    settled_to INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX outbox_source   ON outbox (source, seq);
CREATE INDEX outbox_waiting  ON outbox (source) WHERE operation <> 'seen' AND answered IS NULL;
CREATE INDEX outbox_answered ON outbox (source, seq) WHERE answered IS NOT NULL;

-- Which items and views an operation acts on.
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

-- Whether the news of a thread come to the reader at its service, where the service keeps that: 0 unsubscribed,
-- 1 subscribed, 2 ignored.
CREATE TABLE subscriptions (
    thread INTEGER PRIMARY KEY REFERENCES threads(id),
    source INTEGER NOT NULL REFERENCES sources(id),
    -- What the service said or took last; NULL: not known.
    known  INTEGER,
    -- What the reader wants, until the service has answered, with the id of the wish, and whether it may have been sent.
    wanted INTEGER,
    op     TEXT,
    sent   INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX subscriptions_waiting ON subscriptions (source, wanted);

-- The marks as the server has them, of items on which a local operation waits.
CREATE TABLE server_state (
    item          INTEGER PRIMARY KEY REFERENCES items(id),
    seen_at       INTEGER,
    read_at       INTEGER,
    archived_at   INTEGER,
    snoozed_until INTEGER,
    -- The source's tick when the server said so; 0 = before anything waited.
    server_tick   INTEGER NOT NULL
) STRICT;

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

-- ---- Conversations ----

-- Messages that the user wrote, until a pull has brought them.
CREATE TABLE outgoing (
    seq          INTEGER PRIMARY KEY AUTOINCREMENT,
    id           TEXT    NOT NULL UNIQUE,
    source       INTEGER NOT NULL REFERENCES sources(id),
    conversation TEXT    NOT NULL,
    message      TEXT    NOT NULL,
    -- JSON: name and size of the file that is sent with it. Its copy is in the folder `outgoing`, called like the id.
    file         TEXT,
    written_at   INTEGER NOT NULL,
    -- Why the server will never take it.
    refusal      TEXT,
    -- The msgid that the server gave it.
    posted_as    TEXT
) STRICT;
CREATE INDEX outgoing_source  ON outgoing (source, conversation);
CREATE INDEX outgoing_order   ON outgoing (source);
CREATE INDEX outgoing_waiting ON outgoing (source) WHERE refusal IS NULL AND posted_as IS NULL;
CREATE INDEX outgoing_posted  ON outgoing (source) WHERE posted_as IS NOT NULL;

-- What was written in a conversation and not sent, by the thread's key.
CREATE TABLE drafts (
    source INTEGER NOT NULL REFERENCES sources(id),
    key    TEXT    NOT NULL,
    text   TEXT    NOT NULL CHECK (text <> ''),
    PRIMARY KEY (source, key)
) STRICT, WITHOUT ROWID;

CREATE TABLE groups (
    source     INTEGER NOT NULL REFERENCES sources(id),
    gid        TEXT    NOT NULL,
    -- Empty where the server never told.
    name       TEXT    NOT NULL,
    -- The id of the owner; empty where the server did not tell.
    owner      TEXT    NOT NULL,
    -- In the order in which they joined, each an id or {"id", "name"}.
    members    TEXT    NOT NULL CHECK (json_valid(members)),
    -- The server did not show the group when it was last asked: the user is no member any more.
    withheld   INTEGER NOT NULL,
    -- -1: the server said that it changed.
    fetched_at INTEGER NOT NULL,
    PRIMARY KEY (source, gid)
) STRICT, WITHOUT ROWID;
CREATE INDEX groups_latest ON groups (source, fetched_at);

-- Who read which group message that the user sent. The count on the message is the server's; these are the names.
CREATE TABLE receipts (
    source INTEGER NOT NULL REFERENCES sources(id),
    msgid  TEXT    NOT NULL,
    reader TEXT    NOT NULL,
    at     INTEGER NOT NULL,
    PRIMARY KEY (source, msgid, reader)
) STRICT, WITHOUT ROWID;

-- ---- What the reader set up ----

CREATE TABLE settings (
    key   TEXT PRIMARY KEY,
    value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE rules (
    id        INTEGER PRIMARY KEY AUTOINCREMENT,
    position  INTEGER NOT NULL,
    name      TEXT    NOT NULL,
    active    INTEGER NOT NULL,
    -- JSON: which items, and what is done with them.
    condition TEXT    NOT NULL,
    actions   TEXT    NOT NULL
) STRICT;

-- What a rule did: how many items in each quarter of an hour (by its beginning) of the last 14 days, and the last 20 of
-- these items. A quarter is whole in every time zone's days.
CREATE TABLE rule_counts (
    rule    INTEGER NOT NULL REFERENCES rules(id) ON DELETE CASCADE,
    quarter INTEGER NOT NULL,
    items   INTEGER NOT NULL,
    PRIMARY KEY (rule, quarter)
) STRICT, WITHOUT ROWID;
CREATE TABLE rule_items (
    rule    INTEGER NOT NULL REFERENCES rules(id) ON DELETE CASCADE,
    item    INTEGER NOT NULL REFERENCES items(id) ON DELETE CASCADE,
    at      INTEGER NOT NULL,
    -- JSON: what the rule did then; it may have been edited since.
    actions TEXT    NOT NULL,
    PRIMARY KEY (rule, item)
) STRICT, WITHOUT ROWID;
CREATE INDEX rule_items_item ON rule_items (item);

CREATE TABLE saved_searches (
    id       INTEGER PRIMARY KEY AUTOINCREMENT,
    position INTEGER NOT NULL,
    name     TEXT    NOT NULL,
    query    TEXT    NOT NULL
) STRICT;

-- What arrived while toasts were silenced; one toast per source sums it up when the silence ends.
CREATE TABLE deferred_toasts (
    item INTEGER PRIMARY KEY REFERENCES items(id) ON DELETE CASCADE
) STRICT;
