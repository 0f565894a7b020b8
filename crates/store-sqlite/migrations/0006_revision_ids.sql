-- By which ids those who listen to topics know revisions: each leads to its notification.

-- Which notification a revision was of; for a month.
CREATE TABLE revision_ids (
    -- Of the revision: its id tells it.
    stamp      INTEGER PRIMARY KEY,
    -- Of the notification.
    created_at INTEGER NOT NULL
) STRICT;

INSERT INTO revision_ids SELECT revised_at, created_at FROM notifications WHERE revised_at > 0;
