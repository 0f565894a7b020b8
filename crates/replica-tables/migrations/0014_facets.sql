-- The index has a word for each tag of an item, and for the topic, application or repository that it is from. Items up to
-- this one are indexed anew in portions, newest first; until then their rows are asked.
CREATE TABLE unfaceted (through INTEGER NOT NULL) STRICT;
INSERT INTO unfaceted SELECT newest FROM (SELECT max(id) AS newest FROM items) WHERE newest IS NOT NULL;
