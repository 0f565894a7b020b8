-- Questions: what is asked, and the answer that counts, are in the content.

-- Of an item that asks: until when it waits for an answer; 0 once it is answered here or anywhere, or its time is over.
ALTER TABLE items ADD COLUMN question_due INTEGER;
-- What the reader answered too late, so that another answer counts.
ALTER TABLE items ADD COLUMN late_answer TEXT;

CREATE INDEX items_asking ON items (question_due) WHERE question_due > 0;
