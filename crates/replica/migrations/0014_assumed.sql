-- To where the server has probably moved the view's mark, because it has read everything; until the next complete pull.
ALTER TABLE views ADD COLUMN assumed INTEGER;
CREATE INDEX views_assumed ON views (source) WHERE assumed IS NOT NULL;
