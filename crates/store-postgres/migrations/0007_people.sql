-- People and groups that go. Programs of the version before would give the id of a removed user to another one, and post to
-- groups that were ended, so they do not go on with these tables.

-- The ids of users who were removed: none is given to another user.
CREATE TABLE former_users (
    id         text COLLATE "C" PRIMARY KEY,
    -- Their `users.key`.
    key        bigint NOT NULL UNIQUE,
    removed_at bigint NOT NULL,
    -- True while what they wrote is still to be recalled.
    recalls    boolean NOT NULL DEFAULT false,
    -- How far that is done, and how far what they published was looked through: `created_at` of the last of each.
    recalled_to  bigint NOT NULL DEFAULT 0,
    published_to bigint NOT NULL DEFAULT 0
);

CREATE INDEX former_users_recalling ON former_users (recalls) WHERE recalls;

-- Conversations with one person that are closed, because that user was removed.
CREATE TABLE closed_conversations (
    user_key bigint NOT NULL REFERENCES users (key) ON DELETE CASCADE,
    view     text COLLATE "C" NOT NULL,
    -- The name of who was removed, which stays the title.
    name     text COLLATE "C" NOT NULL,
    -- Of the inbox: what a pull goes by.
    stamp    bigint NOT NULL,
    PRIMARY KEY (user_key, view)
);

CREATE INDEX closed_conversations_by_stamp ON closed_conversations (user_key, stamp);

-- When a group was ended; 0 for one that goes on. Its id is never given to another group.
ALTER TABLE groups ADD COLUMN ended_at bigint NOT NULL DEFAULT 0;

-- Groups that were ended and whose memberships are still to end.
CREATE INDEX groups_ending ON groups (ended_at) WHERE ended_at > 0 AND member_count > 0;

-- A group whose owner is not in it belongs to who joined first.
UPDATE groups g SET owner = coalesce((SELECT m.user_key FROM memberships m WHERE m.group_key = g.key AND m.left_at = 0
        ORDER BY m.list_position, m.user_key LIMIT 1), owner)
    WHERE NOT EXISTS (SELECT 1 FROM memberships m
        WHERE m.group_key = g.key AND m.user_key = g.owner AND m.left_at = 0);

-- What a user published.
CREATE INDEX notifications_by_publisher ON notifications (publisher, created_at) WHERE publisher > 0;
