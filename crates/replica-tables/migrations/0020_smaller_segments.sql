-- A mark that comes while a page is written waits for the segment that is being written, and for the merging that follows in
-- proportion to it: with all words of a page in one segment up to 240 ms.
INSERT INTO search (search, rank) VALUES ('hashsize', 4194304);
