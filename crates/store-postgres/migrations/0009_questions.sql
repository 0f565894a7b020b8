-- Questions. What is asked, and the answer that counts, are in the content of the publication.

-- Those that wait for an answer; a row goes with the answer, or when the time is over.
CREATE TABLE open_questions (
    -- Of the notification.
    created_at bigint PRIMARY KEY,
    -- When the time for an answer is over.
    due        bigint NOT NULL
);

CREATE INDEX open_questions_by_due ON open_questions (due);

-- True where it asks a question that is answered or expired. That is a change of revision 4, with a stamp like any other.
ALTER TABLE notifications ADD COLUMN closed boolean NOT NULL DEFAULT false;
-- The same, as this inbox has it: such an item is not unread.
ALTER TABLE items ADD COLUMN closed boolean NOT NULL DEFAULT false;
