-- A mark that comes while a page is written waits for the segment that is being written, and for the merging that follows in
-- proportion to it: with all words of a page in one segment up to 240 ms. Eight segments of a size are merged, not four, which
-- writes a tenth less.
INSERT INTO search (search, rank) VALUES ('hashsize', 1048576);
INSERT INTO search (search, rank) VALUES ('automerge', 8);
