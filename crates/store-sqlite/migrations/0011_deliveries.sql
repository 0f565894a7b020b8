-- How far members have pulled the messages of their groups, and with how many each message has arrived.

-- The newest group message that a user has pulled, with all before it. No row stands for none.
CREATE TABLE deliveries (
    -- Stays when the user is gone: the messages of its time have arrived.
    user         INTEGER NOT NULL PRIMARY KEY,
    -- `created_at` of that message.
    delivered_to INTEGER NOT NULL
) STRICT;

-- Positions before all that retention has left.
CREATE INDEX deliveries_by_position ON deliveries (delivered_to);

-- Members who count and have pulled the message, or read it. Of what was posted before, that is who has read it, until they
-- pull again.
ALTER TABLE group_messages ADD COLUMN delivered_count INTEGER NOT NULL DEFAULT 0;
-- The same number, as the last version of the sender's own item says it.
ALTER TABLE group_messages ADD COLUMN told_count INTEGER NOT NULL DEFAULT 0;
UPDATE group_messages SET delivered_count = read_count, told_count = read_count;

-- Messages of which their sender is to be told.
CREATE INDEX group_messages_untold ON group_messages (sender, created_at) WHERE told_count <> delivered_count;
