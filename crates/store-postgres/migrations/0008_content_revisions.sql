-- New content is remembered apart from what else a publisher did: a publication that was revised and then cleared has both,
-- and lists and retention go by the time of the content. Programs of the version before would forget new content that was
-- cleared, and would remove what was revised lately, so they do not go on with these tables.

-- The stamp of the last new content that its publisher gave it; 0 for never. `revised_at` is that of the last change of any
-- kind.
ALTER TABLE notifications ADD COLUMN content_revised_at bigint NOT NULL DEFAULT 0;
UPDATE notifications SET content_revised_at = revised_at WHERE revised_at > 0 AND revision = 1;
CREATE INDEX content_revisions ON notifications (content_revised_at) WHERE content_revised_at > 0;
-- What was cleared or deleted.
CREATE INDEX withdrawals ON notifications (revised_at) WHERE revision > 1;
CREATE INDEX topic_content_revisions ON notifications (target_id, content_revised_at)
    WHERE kind = 2 AND target_type = 'topic' AND content_revised_at > 0;

-- Of a message: the last new content that this inbox has; 0 for never. Unlike `revised_at` it moves neither the message's
-- place nor what a read mark covers.
ALTER TABLE items ADD COLUMN edited_at bigint NOT NULL DEFAULT 0;

-- Lists are in the order of the content.
DROP INDEX items_listed;
DROP INDEX items_archived;
DROP INDEX items_of_thread;
CREATE INDEX items_listed ON items (user_key, kind, content_at) WHERE archived_at IS NULL AND NOT deleted;
CREATE INDEX items_archived ON items (user_key, kind, content_at) WHERE archived_at IS NOT NULL AND NOT deleted;
CREATE INDEX items_of_thread ON items (user_key, view, action, content_at) WHERE kind = 2 AND NOT deleted;
-- As items_unread, in the order of the content; `content_at > 0` says which statements may use it.
CREATE INDEX items_unread_listed ON items (user_key, unread, kind, content_at, snoozed_until)
    WHERE unread > 0 AND content_at > 0;

-- Retention finds files by their publication.
DROP INDEX files_by_age;

-- Retention has removed what was created before this, except what was revised later.
ALTER TABLE meta ADD COLUMN swept_to bigint NOT NULL DEFAULT 0;
