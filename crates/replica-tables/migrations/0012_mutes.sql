-- What is muted may be so until a time, by the clock of its server as with a snooze.
ALTER TABLE threads ADD COLUMN muted_until INTEGER;
-- What the mute of its topic, application or repository means to a thread: 0 nothing, 1 that is why it is muted, 2 it is to be
-- heard all the same.
ALTER TABLE threads ADD COLUMN origin_mute INTEGER NOT NULL DEFAULT 0;
CREATE INDEX threads_muted_until ON threads (source, muted_until) WHERE muted_until IS NOT NULL;
CREATE INDEX threads_origin_mute ON threads (source, key) WHERE origin_mute <> 0;

-- Sources that are muted, with an empty origin; and topics, applications and repositories of them. A muted source has in
-- `notify_level` what it had before.
CREATE TABLE mutes (
    source INTEGER NOT NULL REFERENCES sources(id),
    origin TEXT    NOT NULL,
    -- NULL: until it is unmuted.
    until  INTEGER,
    PRIMARY KEY (source, origin)
) STRICT, WITHOUT ROWID;
INSERT INTO mutes SELECT id, '', NULL FROM sources WHERE notify_level = 2;
UPDATE sources SET notify_level = NULL WHERE notify_level = 2;
