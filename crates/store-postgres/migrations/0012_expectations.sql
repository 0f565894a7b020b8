-- What topics expect: a publication every so often. A row stands as long as the settings of its topic say so.
CREATE TABLE expectations (
    topic      text COLLATE "C" NOT NULL PRIMARY KEY,
    every_secs bigint NOT NULL,
    -- Publications up to here were considered.
    seen_to    bigint NOT NULL,
    -- Of the last notification about it, which is none that is expected; 0 for none.
    told_at    bigint NOT NULL DEFAULT 0,
    -- At the last publication, and when to look again: microseconds of running time, as `server_runs` counts it.
    heard      bigint NOT NULL,
    due        bigint NOT NULL,
    -- True where it was said that none came.
    missing    boolean NOT NULL DEFAULT false
);

CREATE INDEX expectations_by_due ON expectations (due, topic);

-- When a server ran and looked at what is expected: the first and the last look, by the clock. Only this time counts.
CREATE TABLE server_runs (
    id         bigint NOT NULL PRIMARY KEY,
    began      bigint NOT NULL,
    ended      bigint NOT NULL,
    -- The running time of all runs before, microseconds.
    ran_before bigint NOT NULL
);
