-- The row of a thread that came back from a snooze speaks for the newest item that came back.
CREATE INDEX items_woken_thread ON items (thread, snoozed_until, listed_at, id)
    WHERE asleep = 0 AND snoozed_until IS NOT NULL;

-- What is archived or deleted, or sleeps again, keeps its thread no longer at the time of its return.
UPDATE threads SET woken_at = now.woken_at, last_at = max(ifnull(now.woken_at, 0), now.newest_at)
FROM (
    SELECT t.id, (SELECT listed_at FROM items WHERE id = t.last_item) AS newest_at, (
        SELECT max(snoozed_until) FROM items INDEXED BY items_woken_thread
        WHERE thread = t.id AND asleep = 0 AND snoozed_until IS NOT NULL AND archived_at IS NULL AND deleted = 0
    ) AS woken_at
    FROM threads t
    WHERE t.total > 0 AND (t.woken_at IS NOT NULL OR t.id IN (
        SELECT thread FROM items INDEXED BY items_woken_thread WHERE asleep = 0 AND snoozed_until IS NOT NULL))
) AS now
WHERE threads.id = now.id;
