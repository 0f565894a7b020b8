-- What a publisher lets wait, by msgid: an export lists it in pages.
CREATE INDEX scheduled_of_publisher ON scheduled (publisher, msgid);
