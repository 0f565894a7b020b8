-- The words of the search index where they stand, in the order of the words. A look at the first place of each word tells
-- which words begin alike, without counting their items.
CREATE VIRTUAL TABLE search_terms USING fts5vocab(search, instance);
