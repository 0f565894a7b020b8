-- Version 8 took over no time of content of what was cleared or deleted after its last new content. Inboxes that have the
-- content still know when it came; of what none has, nobody can tell.
UPDATE notifications SET content_revised_at = (SELECT max(i.revised_at) FROM items i WHERE i.created_at = notifications.created_at)
    WHERE revision > 1 AND content_revised_at = 0 AND EXISTS (
        SELECT 1 FROM items i WHERE i.created_at = notifications.created_at AND i.revised_at > 0);
