-- Where a member stands in the list of a group's members: when it joined, or where it stood when it left a short while
-- before. A list that is read in pages while somebody leaves and joins again misses nobody.
ALTER TABLE memberships ADD COLUMN place INTEGER NOT NULL DEFAULT 0;
UPDATE memberships SET place = joined_at;
DROP INDEX members;
CREATE INDEX members ON memberships (group_key, place, user) WHERE left_at = 0;
-- Of those who left a short while ago.
CREATE TABLE places (
    group_key INTEGER NOT NULL REFERENCES groups (key) ON DELETE CASCADE,
    user      INTEGER NOT NULL,
    place     INTEGER NOT NULL,
    left_at   INTEGER NOT NULL,
    PRIMARY KEY (group_key, user)
) STRICT, WITHOUT ROWID;
CREATE INDEX places_by_age ON places (left_at);
