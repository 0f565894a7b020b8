-- What was published, once, whoever it reaches. The stamp of creation is the key: it is unique and only grows.
CREATE TABLE notifications (
    created_at  INTEGER PRIMARY KEY,
    msgid       TEXT NOT NULL UNIQUE,
    kind        INTEGER NOT NULL,
    actor_id    TEXT NOT NULL,
    actor_name  TEXT NOT NULL,
    action      TEXT NOT NULL,
    target_type TEXT NOT NULL,
    target_id   TEXT NOT NULL,
    -- JSON: the target's title, url and owner; empty where it has none of them.
    target_more TEXT NOT NULL,
    title       TEXT NOT NULL,
    body        TEXT NOT NULL,
    format      INTEGER NOT NULL,
    priority    INTEGER NOT NULL,
    -- JSON: tags, url, icon, actions, attachment and data; empty where it has none of them.
    extra       TEXT NOT NULL,
    -- When it last changed after the post, 0 for never, and how: 1 content, 2 cleared, 3 deleted.
    revised_at  INTEGER NOT NULL DEFAULT 0,
    revision    INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE INDEX announcements ON notifications (created_at) WHERE kind = 1;
CREATE INDEX reminders_by_stamp ON notifications (created_at, action, target_type, target_id, actor_id) WHERE kind = 2;
CREATE INDEX reminders_by_target ON notifications (target_type, target_id, action, created_at, actor_id) WHERE kind = 2;
CREATE INDEX reminders_by_actor ON notifications (actor_id, created_at, action, target_type, target_id) WHERE kind = 2;
CREATE INDEX revisions ON notifications (revised_at) WHERE revised_at > 0;

-- Published under a name of its sender's choice, to be changed under it later.
CREATE TABLE sequences (
    topic      TEXT NOT NULL,
    name       TEXT NOT NULL,
    created_at INTEGER NOT NULL REFERENCES notifications (created_at) ON DELETE CASCADE,
    PRIMARY KEY (topic, name)
) STRICT, WITHOUT ROWID;

CREATE INDEX sequences_by_notification ON sequences (created_at);

-- To be delivered later: stamps are handed out at the delivery.
CREATE TABLE scheduled (
    msgid      TEXT NOT NULL PRIMARY KEY,
    deliver_at INTEGER NOT NULL,
    draft      TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX scheduled_by_time ON scheduled (deliver_at);
