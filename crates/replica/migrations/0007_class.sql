-- An item says itself of which class it is and when its publisher revised it last. What is here keeps the class that it
-- has. A view's mark covers an item from `content_at` on.
ALTER TABLE items ADD COLUMN revised_at INTEGER;
ALTER TABLE items ADD COLUMN content_at INTEGER AS (max(created_at, ifnull(revised_at, created_at))) VIRTUAL;
DROP INDEX items_view;
CREATE INDEX items_view ON items (view, content_at) WHERE view IS NOT NULL;
-- What of auto class is read by itself, or by a mark that has not come yet.
CREATE INDEX items_read_alone ON items (view, read_at) WHERE view IS NOT NULL AND read_at IS NOT NULL;
