-- What topics expect: a publication every so often. A row stands as long as the settings of its topic say so.
CREATE TABLE expectations (
    topic      TEXT NOT NULL PRIMARY KEY,
    every_secs INTEGER NOT NULL,
    -- Publications up to here were considered.
    seen_to    INTEGER NOT NULL,
    -- Of the last notification about it, which is none that is expected; 0 for none.
    told_at    INTEGER NOT NULL DEFAULT 0,
    -- At the last publication, and when to look again: microseconds of running time, as `server_runs` counts it.
    heard      INTEGER NOT NULL,
    due        INTEGER NOT NULL,
    -- 1 where it was said that none came.
    missing    INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;

CREATE INDEX expectations_by_due ON expectations (due, topic);

-- When a server ran and looked at what is expected: the first and the last look, by the clock. Only this time counts.
CREATE TABLE server_runs (
    id         INTEGER NOT NULL PRIMARY KEY,
    began      INTEGER NOT NULL,
    ended      INTEGER NOT NULL,
    -- The running time of all runs before, microseconds.
    ran_before INTEGER NOT NULL
) STRICT;
