-- Who joined and left a group, and how it was renamed: what differed when the server was asked for the group again.
CREATE TABLE group_changes (
    id     INTEGER PRIMARY KEY,
    source INTEGER NOT NULL REFERENCES sources(id),
    gid    TEXT    NOT NULL,
    -- When this was seen.
    at     INTEGER NOT NULL,
    -- 1 joined, 2 left, 3 renamed.
    change INTEGER NOT NULL,
    -- The member's id, and its name or that of the group.
    who    TEXT    NOT NULL,
    name   TEXT    NOT NULL
) STRICT;
CREATE INDEX group_changes_of ON group_changes (source, gid, id);
