-- What arrived while toasts were silent, and waits to be told in one sentence when the silence is over.
CREATE TABLE untold (
    item INTEGER PRIMARY KEY REFERENCES items(id) ON DELETE CASCADE
) STRICT;

-- Since when a paused source is paused; none where that was before it was kept.
ALTER TABLE sources ADD COLUMN paused_at INTEGER;
