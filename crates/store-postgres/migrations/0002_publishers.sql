-- Who published: a name on a topic belongs to its publisher, and the same name of somebody else is another one. Programs of
-- the version before would let one publisher change what another one published, so they do not go on with these tables.

-- The user whose token published it; 0 for programs of this machine's user, which need no token, and where it is not known.
ALTER TABLE notifications ADD COLUMN publisher bigint NOT NULL DEFAULT 0;

-- Of what was published before, this is known of announcements, and of what has a file. Anything else is as if a program of
-- this machine's user had published it: nobody but these programs, and tokens that publish, changes it.
UPDATE notifications n SET publisher = u.key FROM users u WHERE n.kind = 1 AND u.id = n.actor_id;
UPDATE notifications n SET publisher = f.uploader FROM files f WHERE n.msgid = f.msgid AND f.uploader > 0;

-- Names under which publishers revise a notification later (ntfy's sequence ids).
CREATE TABLE named (
    topic      text COLLATE "C" NOT NULL,
    name       text COLLATE "C" NOT NULL,
    -- Of the notification.
    publisher  bigint NOT NULL,
    created_at bigint NOT NULL,
    PRIMARY KEY (topic, name, publisher)
);

INSERT INTO named SELECT s.topic, s.name, n.publisher, s.created_at
    FROM sequences s JOIN notifications n ON n.created_at = s.created_at;
DROP TABLE sequences;
ALTER TABLE named RENAME TO sequences;
ALTER INDEX named_pkey RENAME TO sequences_pkey;

CREATE INDEX sequences_by_notification ON sequences (created_at);
-- Who has a name, the newest last.
CREATE INDEX sequences_by_age ON sequences (topic, name, created_at);

-- True where its publisher may change what others published.
ALTER TABLE scheduled ADD COLUMN changes_others boolean NOT NULL DEFAULT false;
