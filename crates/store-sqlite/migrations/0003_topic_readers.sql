-- Who may read a topic: empty for all users, else their ids, each between spaces.
ALTER TABLE topics ADD COLUMN readers TEXT NOT NULL DEFAULT '';
