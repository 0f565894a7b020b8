-- Who published: a name on a topic belongs to its publisher, and the same name of somebody else is another one.

-- The user whose token published it; 0 for programs of this machine's user, which need no token, and where it is not known.
ALTER TABLE notifications ADD COLUMN publisher INTEGER NOT NULL DEFAULT 0;

-- Of what was published before, this is known of announcements, and of what has a file. Anything else is as if a program of
-- this machine's user had published it: nobody but these programs, and tokens that publish, changes it.
UPDATE notifications SET publisher = (SELECT key FROM users WHERE id = actor_id)
    WHERE kind = 1 AND EXISTS (SELECT 1 FROM users WHERE id = actor_id);
UPDATE notifications SET publisher = f.uploader FROM files f WHERE f.msgid = notifications.msgid AND f.uploader > 0;

-- Names under which publishers revise a notification later (ntfy's sequence ids).
CREATE TABLE named (
    topic      TEXT NOT NULL,
    name       TEXT NOT NULL,
    -- Of the notification.
    publisher  INTEGER NOT NULL,
    created_at INTEGER NOT NULL REFERENCES notifications (created_at) ON DELETE CASCADE,
    PRIMARY KEY (topic, name, publisher)
) STRICT, WITHOUT ROWID;

INSERT INTO named SELECT s.topic, s.name, n.publisher, s.created_at
    FROM sequences s JOIN notifications n ON n.created_at = s.created_at;
DROP TABLE sequences;
ALTER TABLE named RENAME TO sequences;

CREATE INDEX sequences_by_notification ON sequences (created_at);
-- Who has a name, the newest last.
CREATE INDEX sequences_by_age ON sequences (topic, name, created_at);

-- 1 where its publisher may change what others published.
ALTER TABLE scheduled ADD COLUMN changes_others INTEGER NOT NULL DEFAULT 0;
