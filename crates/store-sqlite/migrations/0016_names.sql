-- Users are found by the beginning of their id, of their name, and of its second or last word. Of removed users nothing is
-- listed. `lower` folds the letters A to Z.
CREATE INDEX users_by_folded_id ON users (lower(id)) WHERE id < '~';
CREATE INDEX users_by_folded_name ON users (lower(name)) WHERE id < '~';
CREATE INDEX users_by_second_word ON users (lower(substr(name, instr(name, ' ') + 1)))
    WHERE instr(name, ' ') > 0 AND id < '~';
CREATE INDEX users_by_last_word ON users (lower(replace(name, rtrim(name, replace(name, ' ', '')), '')))
    WHERE instr(name, ' ') > 0 AND id < '~';
