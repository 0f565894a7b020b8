-- A thread of reminders is listed through the reminders of it that are in the inbox, however many others were published.
ALTER TABLE items ADD COLUMN action TEXT NOT NULL DEFAULT '';
UPDATE items SET action = (SELECT n.action FROM notifications n WHERE n.created_at = items.created_at)
WHERE kind = 2 AND EXISTS (SELECT 1 FROM notifications n WHERE n.created_at = items.created_at);
CREATE INDEX items_of_thread ON items (user, view, action, created_at) WHERE kind = 2 AND deleted = 0;
