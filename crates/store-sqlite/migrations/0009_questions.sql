-- Questions. What is asked, and the answer that counts, are in the content of the publication.

-- Those that wait for an answer; a row goes with the answer, or when the time is over.
CREATE TABLE open_questions (
    -- Of the notification.
    created_at INTEGER PRIMARY KEY,
    -- When the time for an answer is over.
    due        INTEGER NOT NULL
) STRICT;

CREATE INDEX open_questions_by_due ON open_questions (due);

-- 1 where it asks a question that is answered or expired. That is a change of revision 4, with a stamp like any other.
ALTER TABLE notifications ADD COLUMN closed INTEGER NOT NULL DEFAULT 0;
-- The same, as this inbox has it: such an item is not unread.
ALTER TABLE items ADD COLUMN closed INTEGER NOT NULL DEFAULT 0;
