-- There is one own server: whoever else says so is an ordinary source, which has no token until somebody signs in.
UPDATE sources SET own = 0, name = CASE name WHEN '' THEN 'source ' || id ELSE name END
    WHERE own <> 0 AND id <> (SELECT min(id) FROM sources WHERE own <> 0);
CREATE UNIQUE INDEX sources_own ON sources (own) WHERE own <> 0;
