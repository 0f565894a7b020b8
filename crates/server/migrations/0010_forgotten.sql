-- Marks of views and acknowledgements that speak of nothing but what retention removed are found by what they reach.
CREATE INDEX views_by_mark ON views (mark);
CREATE INDEX acks_by_through ON acks (through);
