-- Everything created before this was removed by retention; 0 for nothing. Readers learn it with every pull.
ALTER TABLE head ADD COLUMN forgotten_before INTEGER NOT NULL DEFAULT 0;
-- How many users there are.
ALTER TABLE head ADD COLUMN users INTEGER NOT NULL DEFAULT 0;
UPDATE head SET users = (SELECT count(*) FROM users);

-- What retention removes is found by its age alone, whoever has it.
CREATE INDEX items_by_age ON items (created_at);
CREATE INDEX operations_by_age ON operations (at);
CREATE INDEX receipts_by_message ON receipts (message);

-- The members of a group in the order in which they joined, the groups that a user is in now by their ids, and what
-- lies in the past by its age.
ALTER TABLE memberships ADD COLUMN group_id TEXT NOT NULL DEFAULT '';
UPDATE memberships SET group_id = (SELECT id FROM groups WHERE key = group_key);
CREATE INDEX members ON memberships (group_key, joined_at, user) WHERE left_at = 0;
CREATE INDEX memberships_now ON memberships (user, group_id) WHERE left_at = 0;
DROP INDEX memberships_by_user;
CREATE INDEX memberships_by_user ON memberships (user, left_at);
CREATE INDEX memberships_past ON memberships (left_at) WHERE left_at > 0;

CREATE INDEX tokens_by_age ON tokens (created_at);

-- How many subscriptions a user has, each a target and an action.
ALTER TABLE users ADD COLUMN subscriptions INTEGER NOT NULL DEFAULT 0;
UPDATE users SET subscriptions = (SELECT count(*) FROM subscriptions s WHERE s.user = users.key);
