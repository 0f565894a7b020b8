-- Most threads have few actors: these are in the thread's row alone, with the number of their items, so that a page of a
-- backlog writes one page for each thread and not two.
UPDATE threads SET actors = (
    SELECT json_group_array(json_object('id', a.actor, 'name', a.name, 'at', a.last_at, 'items', a.items)) FROM (
        SELECT actor, name, last_at, items FROM thread_actors WHERE thread = threads.id ORDER BY last_at DESC, actor) a)
WHERE actor_count BETWEEN 1 AND 8;
DELETE FROM thread_actors WHERE thread IN (SELECT id FROM threads WHERE actor_count <= 8);
