-- Every id of a revision leads to its notification as long as that is there, and goes with it.
DELETE FROM revision_ids r WHERE NOT EXISTS (SELECT 1 FROM notifications n WHERE n.created_at = r.created_at);

CREATE INDEX revision_ids_by_notification ON revision_ids (created_at);
