-- Every id of a revision leads to its notification as long as that is there, and goes with it.
DELETE FROM revision_ids WHERE created_at NOT IN (SELECT created_at FROM notifications);

CREATE INDEX revision_ids_by_notification ON revision_ids (created_at);
