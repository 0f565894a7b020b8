-- Who read which group message that the user sent. The count on the message is the server's; these are the names.
CREATE TABLE receipts (
    source INTEGER NOT NULL REFERENCES sources(id),
    msgid  TEXT    NOT NULL,
    reader TEXT    NOT NULL,
    at     INTEGER NOT NULL,
    PRIMARY KEY (source, msgid, reader)
) STRICT, WITHOUT ROWID;

CREATE TABLE groups (
    source   INTEGER NOT NULL REFERENCES sources(id),
    gid      TEXT    NOT NULL,
    -- Empty where the server did not tell: the user has left it.
    name     TEXT    NOT NULL,
    -- Ids, in the order in which they joined.
    members  TEXT    NOT NULL CHECK (json_valid(members)),
    heard_at INTEGER NOT NULL,
    PRIMARY KEY (source, gid)
) STRICT, WITHOUT ROWID;

-- What was begun and not sent, by the thread's key.
CREATE TABLE drafts (
    source INTEGER NOT NULL REFERENCES sources(id),
    key    TEXT    NOT NULL,
    text   TEXT    NOT NULL CHECK (text <> ''),
    PRIMARY KEY (source, key)
) STRICT, WITHOUT ROWID;

-- The name that the server gave a message; it stays here until the pull brings it, so that it is never out of sight.
ALTER TABLE outgoing ADD COLUMN posted TEXT;
