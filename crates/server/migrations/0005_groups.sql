CREATE TABLE groups (
    key          INTEGER PRIMARY KEY AUTOINCREMENT,
    id           TEXT NOT NULL UNIQUE,
    name         TEXT NOT NULL,
    owner        INTEGER NOT NULL,
    created_at   INTEGER NOT NULL,
    -- Counted with every change of the members, so that a post costs the same in a group of any size.
    member_count INTEGER NOT NULL
) STRICT;

-- Who was in a group from when to when; 0 for still being there.
CREATE TABLE memberships (
    group_key INTEGER NOT NULL REFERENCES groups (key) ON DELETE CASCADE,
    -- Stays when the user is gone: it counted for the messages of its time.
    user      INTEGER NOT NULL,
    joined_at INTEGER NOT NULL,
    left_at   INTEGER NOT NULL,
    PRIMARY KEY (group_key, user, joined_at)
) STRICT, WITHOUT ROWID;

CREATE INDEX memberships_by_user ON memberships (user, group_key);

CREATE TABLE group_messages (
    created_at INTEGER PRIMARY KEY REFERENCES notifications (created_at) ON DELETE CASCADE,
    group_key  INTEGER NOT NULL,
    -- 0 where the sender is no user.
    sender     INTEGER NOT NULL,
    -- Members at the post, without the sender.
    members    INTEGER NOT NULL,
    read_count INTEGER NOT NULL
) STRICT;

CREATE INDEX group_messages_by_group ON group_messages (group_key, created_at, sender);

-- How far a member has read, each time that it moved on.
CREATE TABLE acks (
    group_key INTEGER NOT NULL,
    user      INTEGER NOT NULL,
    through   INTEGER NOT NULL,
    at        INTEGER NOT NULL,
    PRIMARY KEY (group_key, user, through)
) STRICT, WITHOUT ROWID;

-- Not yet delivered to the sender.
CREATE TABLE receipts (
    sender  INTEGER NOT NULL REFERENCES users (key) ON DELETE CASCADE,
    stamp   INTEGER NOT NULL,
    message INTEGER NOT NULL,
    reader  TEXT NOT NULL,
    at      INTEGER NOT NULL,
    PRIMARY KEY (sender, stamp)
) STRICT, WITHOUT ROWID;
