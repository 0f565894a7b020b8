-- When the reader last moved a view's mark forward by marking an item as read, by the server's clock. What was marked as
-- unread before that, and arrives after it, does not move the mark back.
ALTER TABLE read_marks ADD COLUMN read_marked_at INTEGER;
