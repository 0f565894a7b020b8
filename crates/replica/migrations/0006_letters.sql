-- What begins with one letter is looked up, not merged from every word that begins with it: the first letter of a search
-- took longest of all. The index of words is made anew; its rows are written beside everything else.
DROP TABLE search;
CREATE VIRTUAL TABLE search USING fts5(
    title, body, actor, target,
    content='', contentless_delete=1, tokenize='unicode61 remove_diacritics 2', prefix='1'
);
DELETE FROM reindex;
INSERT INTO reindex (next) SELECT 0 WHERE EXISTS (SELECT 1 FROM items);
