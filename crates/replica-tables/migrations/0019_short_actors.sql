-- The actors in the row of a thread are arrays and not objects: without the names of their members more threads fit on a page,
-- so that a backlog writes fewer of them.
UPDATE threads SET actors = (
    SELECT json_group_array(json_array(value ->> 'id', value ->> 'name', value ->> 'at', ifnull(value ->> 'items', 0)))
    FROM json_each(threads.actors))
WHERE actors <> '[]';
