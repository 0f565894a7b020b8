-- The conversations of an inbox, each by its newest item that was not deleted. An item that is forgotten takes the row
-- along: what is older was forgotten before it.
CREATE TABLE conversations (
    user    INTEGER NOT NULL,
    view    TEXT NOT NULL,
    last_at INTEGER NOT NULL,
    PRIMARY KEY (user, view),
    FOREIGN KEY (user, last_at) REFERENCES items (user, created_at) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

CREATE INDEX conversations_latest ON conversations (user, last_at);

INSERT INTO conversations (user, view, last_at)
SELECT user, view, max(created_at) FROM items WHERE kind = 3 AND deleted = 0 GROUP BY user, view;
