-- How far members have pulled the messages of their groups, and with how many each message has arrived. Programs of the
-- version before would let members read messages that never arrived, so they do not go on with these tables.

-- The newest group message that a user has pulled, with all before it. No row stands for none.
CREATE TABLE deliveries (
    -- Stays when the user is gone: the messages of its time have arrived.
    user_key     bigint PRIMARY KEY,
    -- `created_at` of that message.
    delivered_to bigint NOT NULL,
    -- Up to here it is in `group_messages.delivered_count`. A message of a large group is pulled by many at once, who would
    -- wait for each other at its row; so a pull moves its user's own row, and what lies between is counted afterwards.
    counted_to   bigint NOT NULL DEFAULT 0
) WITH (fillfactor = 70);

-- Positions before all that retention has left.
CREATE INDEX deliveries_by_position ON deliveries (delivered_to);
-- What is to be counted.
CREATE INDEX deliveries_uncounted ON deliveries (counted_to, user_key) WHERE counted_to < delivered_to;

-- Members who count and have pulled the message, up to `counted_to`, or read it. Of what was posted before, that is who has
-- read it, until they pull again.
ALTER TABLE group_messages ADD COLUMN delivered_count bigint NOT NULL DEFAULT 0;
-- With how many it has arrived, as the last version of the sender's own item says it.
ALTER TABLE group_messages ADD COLUMN told_count bigint NOT NULL DEFAULT 0;
UPDATE group_messages SET delivered_count = read_count, told_count = read_count WHERE read_count > 0;

-- Messages of which their sender is to be told, and those that may become so when what was pulled lately is counted.
CREATE INDEX group_messages_untold ON group_messages (sender, created_at) WHERE told_count <> delivered_count;
CREATE INDEX group_messages_by_sender ON group_messages (sender, created_at) WHERE sender > 0;
