-- What was archived longest ago goes first; it was looked for in every item.
CREATE INDEX items_archived ON items (archived_at) WHERE archived_at IS NOT NULL;
-- Whether anybody still acts anywhere under a name.
CREATE INDEX thread_actors_actor ON thread_actors (actor);
