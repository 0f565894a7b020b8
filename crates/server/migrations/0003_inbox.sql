-- What is in whose inbox, and what became of it there.
CREATE TABLE items (
    user          INTEGER NOT NULL REFERENCES users (key) ON DELETE CASCADE,
    -- Of the notification.
    created_at    INTEGER NOT NULL,
    stamp         INTEGER NOT NULL,
    version       INTEGER NOT NULL,
    kind          INTEGER NOT NULL,
    -- `all`, the conversation, or `<type>:<id>`.
    view          TEXT NOT NULL,
    -- Read by looking at its view.
    auto          INTEGER NOT NULL,
    -- From the user itself.
    own           INTEGER NOT NULL,
    -- 0: read, deleted or own; 1: unread but for the time that it sleeps; 2: the same, but archived.
    unread        INTEGER NOT NULL,
    seen_at       INTEGER,
    read_at       INTEGER,
    archived_at   INTEGER,
    snoozed_until INTEGER,
    deleted       INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (user, created_at)
) STRICT, WITHOUT ROWID;

CREATE INDEX items_by_stamp ON items (user, stamp);
CREATE INDEX items_listed ON items (user, kind, created_at) WHERE archived_at IS NULL AND deleted = 0;
CREATE INDEX items_archived ON items (user, kind, created_at) WHERE archived_at IS NOT NULL AND deleted = 0;
CREATE INDEX items_unread ON items (user, unread, kind, created_at, snoozed_until) WHERE unread > 0;
CREATE INDEX items_of_conversation ON items (user, view, created_at) WHERE kind = 3;
CREATE INDEX items_unread_of_conversation ON items (user, view, created_at, snoozed_until) WHERE kind = 3 AND unread = 1;

-- The last access of each view.
CREATE TABLE views (
    user  INTEGER NOT NULL REFERENCES users (key) ON DELETE CASCADE,
    kind  INTEGER NOT NULL,
    view  TEXT NOT NULL,
    mark  INTEGER NOT NULL,
    stamp INTEGER NOT NULL,
    PRIMARY KEY (user, kind, view)
) STRICT, WITHOUT ROWID;

CREATE INDEX views_by_stamp ON views (user, stamp);

-- Operations that were applied, by the client's own id.
CREATE TABLE operations (
    user INTEGER NOT NULL REFERENCES users (key) ON DELETE CASCADE,
    id   TEXT NOT NULL,
    at   INTEGER NOT NULL,
    PRIMARY KEY (user, id)
) STRICT, WITHOUT ROWID;
