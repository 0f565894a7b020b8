-- The newest stamp handed out and the versions of what programs keep in memory: one row.
CREATE TABLE head (
    one             INTEGER NOT NULL PRIMARY KEY CHECK (one = 1),
    last_stamp      INTEGER NOT NULL,
    catalog_version INTEGER NOT NULL,
    auth_version    INTEGER NOT NULL,
    epoch           TEXT NOT NULL,
    catalog         TEXT NOT NULL
) STRICT;

CREATE TABLE users (
    key        INTEGER PRIMARY KEY AUTOINCREMENT,
    id         TEXT NOT NULL UNIQUE,
    name       TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    -- Up to this stamp announcements, reminders and group messages were considered for the inbox.
    pulled_to  INTEGER NOT NULL
) STRICT;

CREATE TABLE tokens (
    id         TEXT NOT NULL PRIMARY KEY,
    user       INTEGER NOT NULL REFERENCES users (key) ON DELETE CASCADE,
    hash       BLOB NOT NULL UNIQUE,
    label      TEXT NOT NULL,
    scopes     TEXT NOT NULL,
    created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX tokens_by_user ON tokens (user, created_at);

-- First answers to POSTs that carried an Idempotency-Key.
CREATE TABLE answers (
    token   TEXT NOT NULL,
    key     TEXT NOT NULL,
    at      INTEGER NOT NULL,
    status  INTEGER NOT NULL,
    body    BLOB NOT NULL,
    seal    TEXT NOT NULL,
    PRIMARY KEY (token, key)
) STRICT, WITHOUT ROWID;

CREATE INDEX answers_by_age ON answers (at);
