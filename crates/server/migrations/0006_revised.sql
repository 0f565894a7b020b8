-- When its publisher last revised it, as far as this inbox was told; 0 for never.
ALTER TABLE items ADD COLUMN revised_at INTEGER NOT NULL DEFAULT 0;
-- How far its view's mark has to reach to cover it: the content that one sees dates from then.
ALTER TABLE items ADD COLUMN content_at INTEGER GENERATED ALWAYS AS (max(created_at, revised_at)) VIRTUAL;

-- Moving a mark forward, and counting what is unread in one view, by the rows concerned alone.
DROP INDEX items_unread_of_conversation;
CREATE INDEX items_unread_of_view ON items (user, unread, kind, view, auto, content_at, snoozed_until)
    WHERE unread > 0;
-- Moving a mark back; conversations have an index of their own.
CREATE INDEX items_of_view ON items (user, kind, view, content_at) WHERE auto = 1 AND kind < 3;
-- Tombstones are never listed, and are not walked over to find the newest that stays.
DROP INDEX items_of_conversation;
CREATE INDEX items_of_conversation ON items (user, view, created_at) WHERE kind = 3 AND deleted = 0;

-- An announcement is from the user whose token posted it: in its own inbox it is there, and read.
UPDATE items SET own = 1, unread = 0
WHERE kind = 1 AND EXISTS (
    SELECT 1 FROM users u JOIN notifications n ON n.actor_id = u.id
    WHERE u.key = items.user AND n.created_at = items.created_at);
