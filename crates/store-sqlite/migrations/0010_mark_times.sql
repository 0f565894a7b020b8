-- When the reader last put marks on an item that can be taken back, by the server's clock. Of two operations that say the
-- opposite about one item, the later one holds, in whatever order they arrive.
ALTER TABLE items ADD COLUMN read_marked_at INTEGER;
ALTER TABLE items ADD COLUMN archive_marked_at INTEGER;
ALTER TABLE items ADD COLUMN snooze_marked_at INTEGER;
