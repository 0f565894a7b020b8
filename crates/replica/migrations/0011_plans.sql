-- What sleeps in one thread; it was looked for in all that sleeps.
CREATE INDEX items_asleep_thread ON items (thread) WHERE asleep = 1;
-- The latest actors of a thread and the latest people, without sorting all of them.
CREATE INDEX thread_actors_latest ON thread_actors (thread, last_at DESC, actor);
CREATE INDEX people_latest ON people (last_at);
CREATE INDEX groups_latest ON groups (source, heard_at);
-- What waits: counted after each change, and looked for with each page of a pull.
CREATE INDEX outbox_waiting ON outbox (source) WHERE act <> 'seen';
CREATE INDEX outgoing_waiting ON outgoing (source) WHERE refused IS NULL AND posted IS NULL;
CREATE INDEX outgoing_posted ON outgoing (source) WHERE posted IS NOT NULL;
CREATE INDEX outgoing_order ON outgoing (source);
