-- Who may read a topic: empty for all users, else their ids, each between spaces.
ALTER TABLE topics ADD COLUMN readers text COLLATE "C" NOT NULL DEFAULT '';
