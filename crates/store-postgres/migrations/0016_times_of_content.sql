-- Version 8 took over no time of content of what was cleared or deleted after its last new content. Inboxes that have the
-- content still know when it came; of what none has, nobody can tell.
UPDATE notifications n SET content_revised_at = (SELECT max(i.revised_at) FROM items i WHERE i.created_at = n.created_at)
    WHERE n.revision > 1 AND n.content_revised_at = 0 AND EXISTS (
        SELECT 1 FROM items i WHERE i.created_at = n.created_at AND i.revised_at > 0);
