-- What a source or a thread may tell: 0 a toast, 1 the badge alone, 2 nothing; none as the wider one has it. A thread
-- that may tell nothing is `muted`; `tell` is then what it had before.
ALTER TABLE sources ADD COLUMN tell INTEGER;
ALTER TABLE sources ADD COLUMN from_priority INTEGER;
ALTER TABLE sources ADD COLUMN sound INTEGER;
ALTER TABLE threads ADD COLUMN tell INTEGER;
ALTER TABLE threads ADD COLUMN from_priority INTEGER;
ALTER TABLE threads ADD COLUMN sound INTEGER;

-- The priority as the server has it, where a rule made it another.
ALTER TABLE items ADD COLUMN sent_priority INTEGER;

-- Unread items of threads that are not muted, by priority, so that no item is counted when a preference changes:
-- `follow` where the source decides whether the thread is heard, `heard` where the thread does. 0 are those of threads
-- with a least priority of their own, as far as they reach it; 1 to 5 of the others.
ALTER TABLE counters DROP COLUMN badge;
ALTER TABLE counters DROP COLUMN unseen;
ALTER TABLE counters ADD COLUMN follow0 INTEGER NOT NULL DEFAULT 0;
ALTER TABLE counters ADD COLUMN follow1 INTEGER NOT NULL DEFAULT 0;
ALTER TABLE counters ADD COLUMN follow2 INTEGER NOT NULL DEFAULT 0;
ALTER TABLE counters ADD COLUMN follow3 INTEGER NOT NULL DEFAULT 0;
ALTER TABLE counters ADD COLUMN follow4 INTEGER NOT NULL DEFAULT 0;
ALTER TABLE counters ADD COLUMN follow5 INTEGER NOT NULL DEFAULT 0;
ALTER TABLE counters ADD COLUMN heard0 INTEGER NOT NULL DEFAULT 0;
ALTER TABLE counters ADD COLUMN heard1 INTEGER NOT NULL DEFAULT 0;
ALTER TABLE counters ADD COLUMN heard2 INTEGER NOT NULL DEFAULT 0;
ALTER TABLE counters ADD COLUMN heard3 INTEGER NOT NULL DEFAULT 0;
ALTER TABLE counters ADD COLUMN heard4 INTEGER NOT NULL DEFAULT 0;
ALTER TABLE counters ADD COLUMN heard5 INTEGER NOT NULL DEFAULT 0;
-- Of these, what no list has shown, whatever its priority.
ALTER TABLE counters ADD COLUMN follow_unseen INTEGER NOT NULL DEFAULT 0;
ALTER TABLE counters ADD COLUMN heard_unseen INTEGER NOT NULL DEFAULT 0;
UPDATE counters SET follow1 = t.n1, follow2 = t.n2, follow3 = t.n3, follow4 = t.n4, follow5 = t.n5,
    follow_unseen = t.unseen
FROM (SELECT source, kind, sum(unread1) AS n1, sum(unread2) AS n2, sum(unread3) AS n3, sum(unread4) AS n4,
        sum(unread5) AS n5, sum(unseen) AS unseen
    FROM threads WHERE muted = 0 GROUP BY source, kind) AS t
WHERE t.source = counters.source AND t.kind = counters.kind;

-- What happens to what arrives; in the order in which it happens.
CREATE TABLE rules (
    id       INTEGER PRIMARY KEY AUTOINCREMENT,
    position INTEGER NOT NULL,
    name     TEXT    NOT NULL,
    active   INTEGER NOT NULL,
    -- JSON: which items, and what is done with them.
    matches  TEXT    NOT NULL,
    does     TEXT    NOT NULL
) STRICT;
