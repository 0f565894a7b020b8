-- People and groups that go.

-- The ids of users who were removed: none is given to another user.
CREATE TABLE former_users (
    id         TEXT NOT NULL PRIMARY KEY,
    -- Their `users.key`.
    key        INTEGER NOT NULL UNIQUE,
    removed_at INTEGER NOT NULL,
    -- 1 while what they wrote is still to be recalled.
    recalls    INTEGER NOT NULL DEFAULT 0,
    -- How far that is done, and how far what they published was looked through: `created_at` of the last of each.
    recalled_to  INTEGER NOT NULL DEFAULT 0,
    published_to INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;

CREATE INDEX former_users_recalling ON former_users (recalls) WHERE recalls = 1;

-- Conversations with one person that are closed, because that user was removed.
CREATE TABLE closed_conversations (
    user  INTEGER NOT NULL REFERENCES users (key) ON DELETE CASCADE,
    view  TEXT NOT NULL,
    -- The name of who was removed, which stays the title.
    name  TEXT NOT NULL,
    -- Of the inbox: what a pull goes by.
    stamp INTEGER NOT NULL,
    PRIMARY KEY (user, view)
) STRICT, WITHOUT ROWID;

CREATE INDEX closed_conversations_by_stamp ON closed_conversations (user, stamp);

-- When a group was ended; 0 for one that goes on. Its id is never given to another group.
ALTER TABLE groups ADD COLUMN ended_at INTEGER NOT NULL DEFAULT 0;

-- Groups that were ended and whose memberships are still to end.
CREATE INDEX groups_ending ON groups (ended_at) WHERE ended_at > 0 AND member_count > 0;

-- A group whose owner is not in it belongs to who joined first.
UPDATE groups SET owner = coalesce((SELECT m.user FROM memberships m WHERE m.group_key = groups.key AND m.left_at = 0
        ORDER BY m.list_position, m.user LIMIT 1), owner)
    WHERE NOT EXISTS (SELECT 1 FROM memberships m
        WHERE m.group_key = groups.key AND m.user = groups.owner AND m.left_at = 0);

-- What a user published.
CREATE INDEX notifications_by_publisher ON notifications (publisher, created_at) WHERE publisher > 0;
