-- Lists, searches, digests and retention go by the time of an item's content, so that what its publisher revised is as new as
-- that.

-- When the item was created, or got its content. What was revised before this version is listed by its creation until it is
-- revised again, as its thread is.
ALTER TABLE items ADD COLUMN listed_at INTEGER NOT NULL DEFAULT 0;
UPDATE items SET listed_at = created_at;
-- Of a message: when its sender edited it last. Unlike `revised_at` it moves neither the message's place nor what a view's mark
-- covers.
ALTER TABLE items ADD COLUMN edited_at INTEGER;

DROP INDEX items_thread;
DROP INDEX items_time;
DROP INDEX items_kind;
DROP INDEX items_unread;
CREATE INDEX items_thread ON items (thread, listed_at, id);
CREATE INDEX items_time   ON items (listed_at, id);
CREATE INDEX items_kind   ON items (kind, listed_at, id);
CREATE INDEX items_unread ON items (listed_at, id) WHERE unread = 1;
