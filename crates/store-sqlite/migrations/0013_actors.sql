-- A topic is the actor of what is published on it, which the index by target finds as well. The index by actor has the other
-- reminders alone, so that a publication on a topic is written to one index less.
DROP INDEX reminders_by_actor;
CREATE INDEX reminders_by_actor ON notifications (actor_id, created_at, action, target_type, target_id)
    WHERE kind = 2 AND NOT (action = 'publish' AND target_type = 'topic' AND target_id = actor_id);
