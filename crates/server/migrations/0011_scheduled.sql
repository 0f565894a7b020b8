-- Who asked for a delayed publication (0 without a token), where it goes, and how many bytes it takes: what waits has a
-- bound for each of the two.
ALTER TABLE scheduled ADD COLUMN publisher INTEGER NOT NULL DEFAULT 0;
ALTER TABLE scheduled ADD COLUMN target TEXT NOT NULL DEFAULT '';
ALTER TABLE scheduled ADD COLUMN bytes INTEGER NOT NULL DEFAULT 0;
UPDATE scheduled SET bytes = length(CAST(draft AS BLOB));
-- One that can't be read is dropped when it is due.
UPDATE scheduled
    SET target = coalesce(json_extract(draft, '$.target.type') || ':' || json_extract(draft, '$.target.id'), '')
    WHERE json_valid(draft);
CREATE INDEX scheduled_by_target ON scheduled (target, bytes);
CREATE INDEX scheduled_by_publisher ON scheduled (publisher, bytes);
