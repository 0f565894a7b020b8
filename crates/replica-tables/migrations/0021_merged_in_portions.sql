-- A mark that comes while the index writes a segment waits for it, and did so for the merging that followed at once, in proportion
-- to it. So a segment has fewer words, and pages merge segments themselves, in portions between which they give way.
INSERT INTO search (search, rank) VALUES ('hashsize', 1048576);
INSERT INTO search (search, rank) VALUES ('automerge', 0);
INSERT INTO search (search, rank) VALUES ('crisismerge', 256);
