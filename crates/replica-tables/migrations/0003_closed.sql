-- Conversations with one person that the server closed, because that user was removed.
CREATE TABLE closed_conversations (
    source INTEGER NOT NULL REFERENCES sources(id),
    key    TEXT    NOT NULL,
    -- The name that the other user had.
    title  TEXT    NOT NULL,
    PRIMARY KEY (source, key)
) STRICT, WITHOUT ROWID;
