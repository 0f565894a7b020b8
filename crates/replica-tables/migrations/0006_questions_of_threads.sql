-- The question that a thread's row shows, and those that wait in a thread: the open ones first, then by time.
CREATE INDEX items_questions ON items (thread, (question_due > 0), listed_at)
WHERE question_due IS NOT NULL AND deleted = 0;
