-- Users are found by the beginning of their id, of their name, and of its second or last word. Of removed users nothing is
-- listed. `lower` folds the letters A to Z, since the columns compare byte by byte.
CREATE INDEX users_by_folded_id ON users (lower(id)) WHERE id < '~';
CREATE INDEX users_by_folded_name ON users (lower(name)) WHERE id < '~';
CREATE INDEX users_by_second_word ON users (lower(substr(name, strpos(name, ' ') + 1)))
    WHERE strpos(name, ' ') > 0 AND id < '~';
CREATE INDEX users_by_last_word ON users (lower(substring(name from '[^ ]*$')))
    WHERE strpos(name, ' ') > 0 AND id < '~';
