-- Items that were too large to be taken, by their place in the source's history.
CREATE TABLE skipped (
    source   INTEGER NOT NULL REFERENCES sources(id),
    position TEXT    NOT NULL,
    msgid    TEXT    NOT NULL,
    at       INTEGER NOT NULL,
    PRIMARY KEY (source, position)
) STRICT, WITHOUT ROWID;

-- The server removed every item created before `forgotten_before`; here they are gone as far as `swept_to`.
ALTER TABLE sources ADD COLUMN forgotten_before INTEGER;
ALTER TABLE sources ADD COLUMN swept_to INTEGER;
