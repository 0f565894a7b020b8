-- New content is remembered apart from what else a publisher did: a publication that was revised and then cleared has both,
-- and lists and retention go by the time of the content.

-- The stamp of the last new content that its publisher gave it; 0 for never. `revised_at` is that of the last change of any
-- kind.
ALTER TABLE notifications ADD COLUMN content_revised_at INTEGER NOT NULL DEFAULT 0;
UPDATE notifications SET content_revised_at = revised_at WHERE revised_at > 0 AND revision = 1;
CREATE INDEX content_revisions ON notifications (content_revised_at) WHERE content_revised_at > 0;
-- What was cleared or deleted.
DROP INDEX revisions;
CREATE INDEX withdrawals ON notifications (revised_at) WHERE revision > 1;
CREATE INDEX topic_content_revisions ON notifications (target_id, content_revised_at)
    WHERE kind = 2 AND target_type = 'topic' AND content_revised_at > 0;

-- Of a message: the last new content that this inbox has; 0 for never. Unlike `revised_at` it moves neither the message's
-- place nor what a read mark covers.
ALTER TABLE items ADD COLUMN edited_at INTEGER NOT NULL DEFAULT 0;

-- Lists are in the order of the content.
DROP INDEX items_listed;
DROP INDEX items_archived;
DROP INDEX items_of_thread;
CREATE INDEX items_listed ON items (user, kind, content_at) WHERE archived_at IS NULL AND deleted = 0;
CREATE INDEX items_archived ON items (user, kind, content_at) WHERE archived_at IS NOT NULL AND deleted = 0;
CREATE INDEX items_of_thread ON items (user, view, action, content_at) WHERE kind = 2 AND deleted = 0;
CREATE INDEX items_unread_listed ON items (user, unread, kind, content_at, snoozed_until) WHERE unread > 0;

-- Retention finds files by their publication.
DROP INDEX files_by_age;

-- Retention has removed what was created before this, except what was revised later.
ALTER TABLE meta ADD COLUMN swept_to INTEGER NOT NULL DEFAULT 0;
