CREATE TABLE subscriptions (
    user        INTEGER NOT NULL REFERENCES users (key) ON DELETE CASCADE,
    target_type TEXT NOT NULL,
    target_id   TEXT NOT NULL,
    action      TEXT NOT NULL,
    -- Empty where the action was named.
    reason      TEXT NOT NULL,
    created_at  INTEGER NOT NULL,
    PRIMARY KEY (user, target_type, target_id, action)
) STRICT, WITHOUT ROWID;

CREATE INDEX subscriptions_by_target ON subscriptions (target_type, target_id, action, user);

CREATE TABLE follows (
    user       INTEGER NOT NULL REFERENCES users (key) ON DELETE CASCADE,
    actor      TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (user, actor)
) STRICT, WITHOUT ROWID;

CREATE INDEX follows_by_actor ON follows (actor, user);

-- Only what a user set; the catalog has the rest.
CREATE TABLE preferences (
    user   INTEGER NOT NULL REFERENCES users (key) ON DELETE CASCADE,
    action TEXT NOT NULL,
    wanted INTEGER NOT NULL,
    PRIMARY KEY (user, action)
) STRICT, WITHOUT ROWID;
