-- What arrived while toasts were silent, and waits to be told in one sentence when the silence is over.
CREATE TABLE untold (
    item INTEGER PRIMARY KEY REFERENCES items(id) ON DELETE CASCADE
) STRICT;
