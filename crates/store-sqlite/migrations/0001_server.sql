-- The server's database. Times are stamps: microseconds since 1970, unique and strictly increasing in the order in which
-- this server handed them out. Columns named `user`, `sender` and `owner` hold `users.key`. JSON columns are never
-- searched: what a query asks by has a column of its own.

-- ===== The database itself

-- One row.
CREATE TABLE meta (
    one              INTEGER NOT NULL PRIMARY KEY CHECK (one = 1),
    -- Changes whenever stamps of an earlier copy may be handed out again (a restore): clients then pull from the start.
    epoch            TEXT NOT NULL,
    -- The newest stamp handed out.
    last_stamp       INTEGER NOT NULL,
    -- Retention removed everything created before this; 0 for nothing. Every pull says so.
    forgotten_before INTEGER NOT NULL DEFAULT 0,
    -- The catalog of actions as JSON, and how often it was replaced within this epoch.
    catalog          TEXT NOT NULL,
    catalog_version  INTEGER NOT NULL,
    -- Counts changes to users and tokens, so that processes that cache them notice.
    auth_version     INTEGER NOT NULL,
    user_count       INTEGER NOT NULL DEFAULT 0,
    -- Bytes of all rows in `files`.
    file_bytes       INTEGER NOT NULL DEFAULT 0
) STRICT;

-- ===== Accounts

-- A removed user keeps its row under an id that begins with `~` until everything it had is deleted.
CREATE TABLE users (
    -- Never given to another user, also after the row is gone.
    key                INTEGER PRIMARY KEY AUTOINCREMENT,
    id                 TEXT NOT NULL UNIQUE,
    name               TEXT NOT NULL,
    created_at         INTEGER NOT NULL,
    -- Announcements, reminders and group messages up to here were considered for this inbox (fan-in).
    fanned_in_to       INTEGER NOT NULL,
    -- Rows in `subscriptions`.
    subscription_count INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE TABLE tokens (
    -- Begins with `program-` where a program made the token for itself.
    id         TEXT NOT NULL PRIMARY KEY,
    user       INTEGER NOT NULL REFERENCES users (key) ON DELETE CASCADE,
    -- SHA-256 of the token's text, which is not stored.
    hash       BLOB NOT NULL UNIQUE,
    label      TEXT NOT NULL,
    -- Separated by spaces.
    scopes     TEXT NOT NULL,
    created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX tokens_by_user ON tokens (user, created_at);
CREATE INDEX tokens_by_age ON tokens (created_at);

-- First responses to requests with an Idempotency-Key, kept for a day.
CREATE TABLE stored_responses (
    -- The token's id, or what else tells apart whose key it is.
    token      TEXT NOT NULL,
    key        TEXT NOT NULL,
    stored_at  INTEGER NOT NULL,
    status     INTEGER NOT NULL,
    body       BLOB NOT NULL,
    -- Salt of the token that the response shows and that is derived again for a repetition; empty for none.
    token_salt TEXT NOT NULL,
    PRIMARY KEY (token, key)
) STRICT, WITHOUT ROWID;

CREATE INDEX stored_responses_by_age ON stored_responses (stored_at);

-- ===== Publications

-- Each once, however many users it reaches.
CREATE TABLE notifications (
    created_at     INTEGER PRIMARY KEY,
    msgid          TEXT NOT NULL UNIQUE,
    -- 1 announcement, 2 reminder, 3 message.
    kind           INTEGER NOT NULL,
    actor_id       TEXT NOT NULL,
    actor_name     TEXT NOT NULL,
    -- Of a reminder; else empty.
    action         TEXT NOT NULL,
    target_type    TEXT NOT NULL,
    target_id      TEXT NOT NULL,
    -- The target's title, url and owner as a JSON array; empty where it has none of them.
    target_details TEXT NOT NULL,
    -- What the publisher wrote, as JSON without the fields that have their default (tidings_model::Content).
    content        TEXT NOT NULL,
    -- The publisher's last revision (0 for never), and what it was: 1 new content, 2 cleared, 3 deleted.
    revised_at     INTEGER NOT NULL DEFAULT 0,
    revision       INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE INDEX announcements ON notifications (created_at) WHERE kind = 1;
CREATE INDEX reminders_by_stamp ON notifications (created_at, action, target_type, target_id, actor_id) WHERE kind = 2;
CREATE INDEX reminders_by_target ON notifications (target_type, target_id, action, created_at, actor_id) WHERE kind = 2;
CREATE INDEX reminders_by_actor ON notifications (actor_id, created_at, action, target_type, target_id) WHERE kind = 2;
CREATE INDEX revisions ON notifications (revised_at) WHERE revised_at > 0;
-- What changed on a topic, for those who listen to it.
CREATE INDEX topic_revisions ON notifications (target_id, revised_at)
    WHERE kind = 2 AND target_type = 'topic' AND revised_at > 0;

-- Names under which publishers revise a notification later (ntfy's sequence ids).
CREATE TABLE sequences (
    topic      TEXT NOT NULL,
    name       TEXT NOT NULL,
    created_at INTEGER NOT NULL REFERENCES notifications (created_at) ON DELETE CASCADE,
    PRIMARY KEY (topic, name)
) STRICT, WITHOUT ROWID;

CREATE INDEX sequences_by_notification ON sequences (created_at);

-- Delayed publications. They get their stamps at delivery.
CREATE TABLE scheduled (
    msgid      TEXT NOT NULL PRIMARY KEY,
    deliver_at INTEGER NOT NULL,
    -- A draft as JSON. One that can't be read is dropped when it is due.
    draft      TEXT NOT NULL,
    -- The user who asked for it; 0 for a program without a token.
    publisher  INTEGER NOT NULL DEFAULT 0,
    -- `<type>:<id>`; empty for none.
    target     TEXT NOT NULL DEFAULT '',
    -- The name under which its publisher replaces or cancels it; empty for none.
    sequence   TEXT NOT NULL DEFAULT '',
    bytes      INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;

CREATE INDEX scheduled_by_time ON scheduled (deliver_at);
CREATE INDEX scheduled_by_target ON scheduled (target, bytes);
CREATE INDEX scheduled_by_publisher ON scheduled (publisher, bytes);

-- Files that were uploaded with a publication. Their bytes are in the folder `files` beside the database; a row goes after
-- its file.
CREATE TABLE files (
    -- SHA-256 of the public name, in hex: the name in the folder.
    name         TEXT NOT NULL PRIMARY KEY,
    -- Of the publication, also while that waits to be delivered.
    msgid        TEXT NOT NULL,
    -- The user whose token uploaded it; 0 for a program without a token.
    uploader     INTEGER NOT NULL,
    -- As its publisher named it.
    file_name    TEXT NOT NULL,
    media_type   TEXT NOT NULL,
    bytes        INTEGER NOT NULL,
    -- `created_at` of the publication, or the time at which it is due.
    published_at INTEGER NOT NULL,
    -- 0 where its publication is gone: it is to be deleted now.
    expires_at   INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX files_by_msgid ON files (msgid) WHERE expires_at > 0;
CREATE INDEX files_by_uploader ON files (uploader, expires_at, bytes);
CREATE INDEX files_by_age ON files (published_at) WHERE expires_at > 0;
CREATE INDEX files_by_expiry ON files (expires_at);

-- ===== Topics

-- What was set for a topic. Publications are on topics without a row, too.
CREATE TABLE topics (
    topic    TEXT NOT NULL PRIMARY KEY,
    -- As JSON (domain::topic::TopicSettings), with the secrets of those who sign webhooks.
    settings TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- The last payloads of webhooks to a topic, to try templates on; a few of them, and for a month.
CREATE TABLE topic_payloads (
    id          INTEGER PRIMARY KEY AUTOINCREMENT,
    topic       TEXT NOT NULL,
    received_at INTEGER NOT NULL,
    -- Who sent it and what it is about, as the server told from its headers; empty where it did not.
    sender      TEXT NOT NULL,
    event       TEXT NOT NULL,
    -- JSON.
    body        TEXT NOT NULL,
    bytes       INTEGER NOT NULL
) STRICT;

CREATE INDEX topic_payloads_by_topic ON topic_payloads (topic, id, bytes);
CREATE INDEX topic_payloads_by_age ON topic_payloads (received_at);

-- ===== Inboxes

-- A notification in an inbox, with its state there.
CREATE TABLE items (
    user          INTEGER NOT NULL REFERENCES users (key) ON DELETE CASCADE,
    -- Of the notification.
    created_at    INTEGER NOT NULL,
    -- Of the last change in this inbox: what a pull goes by.
    stamp         INTEGER NOT NULL,
    -- Changes in this inbox, counted from 1.
    version       INTEGER NOT NULL,
    kind          INTEGER NOT NULL,
    -- `all` for announcements, the conversation's id for messages, `<type>:<id>` for reminders.
    view          TEXT NOT NULL,
    -- Of a reminder; else empty.
    action        TEXT NOT NULL DEFAULT '',
    -- 1 where the read mark of its view covers it, 0 where it is read by itself.
    auto          INTEGER NOT NULL,
    -- 1 where the user is its sender.
    own           INTEGER NOT NULL,
    -- 0 read, deleted or own; 1 unread, unless snoozed; 2 the same, but archived.
    unread        INTEGER NOT NULL,
    seen_at       INTEGER,
    read_at       INTEGER,
    archived_at   INTEGER,
    snoozed_until INTEGER,
    -- 1 for a tombstone.
    deleted       INTEGER NOT NULL DEFAULT 0,
    -- The publisher's last revision that this inbox has; 0 for never.
    revised_at    INTEGER NOT NULL DEFAULT 0,
    -- A read mark covers the item from here on.
    content_at    INTEGER GENERATED ALWAYS AS (max(created_at, revised_at)) VIRTUAL,
    PRIMARY KEY (user, created_at)
) STRICT, WITHOUT ROWID;

CREATE INDEX items_by_stamp ON items (user, stamp);
CREATE INDEX items_by_age ON items (created_at);
CREATE INDEX items_listed ON items (user, kind, created_at) WHERE archived_at IS NULL AND deleted = 0;
CREATE INDEX items_archived ON items (user, kind, created_at) WHERE archived_at IS NOT NULL AND deleted = 0;
CREATE INDEX items_unread ON items (user, unread, kind, created_at, snoozed_until) WHERE unread > 0;
-- Advancing a read mark, and counting what is unread in one view.
CREATE INDEX items_unread_of_view ON items (user, unread, kind, view, auto, content_at, snoozed_until)
    WHERE unread > 0;
-- Rewinding a read mark; conversations have an index of their own.
CREATE INDEX items_of_view ON items (user, kind, view, content_at) WHERE auto = 1 AND kind < 3;
CREATE INDEX items_of_conversation ON items (user, view, created_at) WHERE kind = 3 AND deleted = 0;
CREATE INDEX items_of_thread ON items (user, view, action, created_at) WHERE kind = 2 AND deleted = 0;

-- How far each view was read.
CREATE TABLE read_marks (
    user  INTEGER NOT NULL REFERENCES users (key) ON DELETE CASCADE,
    kind  INTEGER NOT NULL,
    view  TEXT NOT NULL,
    mark  INTEGER NOT NULL,
    -- Of its last move: what a pull goes by.
    stamp INTEGER NOT NULL,
    PRIMARY KEY (user, kind, view)
) STRICT, WITHOUT ROWID;

CREATE INDEX read_marks_by_stamp ON read_marks (user, stamp);
-- Who has read what a user wrote to them: the marks of others on `user:<id>`.
CREATE INDEX read_marks_of_peers ON read_marks (view, stamp) WHERE kind = 3;
-- Marks that cover nothing but what retention removed.
CREATE INDEX read_marks_by_mark ON read_marks (mark);

-- Ids of operations that clients sent and that were applied, so that each is applied once; kept for a month.
CREATE TABLE applied_ops (
    user       INTEGER NOT NULL REFERENCES users (key) ON DELETE CASCADE,
    id         TEXT NOT NULL,
    applied_at INTEGER NOT NULL,
    PRIMARY KEY (user, id)
) STRICT, WITHOUT ROWID;

CREATE INDEX applied_ops_by_age ON applied_ops (applied_at);

-- The conversations of an inbox by their newest item that was not deleted, kept with every change of the items. An item
-- that retention removes takes the row along: whatever is older was removed before it.
CREATE TABLE conversations (
    user      INTEGER NOT NULL,
    view      TEXT NOT NULL,
    newest_at INTEGER NOT NULL,
    PRIMARY KEY (user, view),
    FOREIGN KEY (user, newest_at) REFERENCES items (user, created_at) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

CREATE INDEX conversations_latest ON conversations (user, newest_at);

-- ===== Subscriptions

-- An action on a target, from `created_at` on.
CREATE TABLE subscriptions (
    user        INTEGER NOT NULL REFERENCES users (key) ON DELETE CASCADE,
    target_type TEXT NOT NULL,
    target_id   TEXT NOT NULL,
    action      TEXT NOT NULL,
    -- Of the catalog; empty where the action itself was named.
    reason      TEXT NOT NULL,
    created_at  INTEGER NOT NULL,
    PRIMARY KEY (user, target_type, target_id, action)
) STRICT, WITHOUT ROWID;

CREATE INDEX subscriptions_by_target ON subscriptions (target_type, target_id, action, user);

-- All actions of an actor, from `created_at` on.
CREATE TABLE follows (
    user       INTEGER NOT NULL REFERENCES users (key) ON DELETE CASCADE,
    actor      TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (user, actor)
) STRICT, WITHOUT ROWID;

CREATE INDEX follows_by_actor ON follows (actor, user);

-- What a user set; the catalog has the defaults.
CREATE TABLE preferences (
    user   INTEGER NOT NULL REFERENCES users (key) ON DELETE CASCADE,
    action TEXT NOT NULL,
    wanted INTEGER NOT NULL,
    PRIMARY KEY (user, action)
) STRICT, WITHOUT ROWID;

-- ===== Groups

-- A group that is still being created has an id that begins with `~`.
CREATE TABLE groups (
    key          INTEGER PRIMARY KEY AUTOINCREMENT,
    id           TEXT NOT NULL UNIQUE,
    name         TEXT NOT NULL,
    owner        INTEGER NOT NULL,
    created_at   INTEGER NOT NULL,
    -- Counted with every change, so that a post costs the same in a group of any size.
    member_count INTEGER NOT NULL,
    -- The stamp of the last change of its name, owner or members.
    changed_at   INTEGER NOT NULL
) STRICT;

CREATE INDEX groups_by_change ON groups (changed_at);

-- Who was in a group from when to when.
CREATE TABLE memberships (
    group_key     INTEGER NOT NULL REFERENCES groups (key) ON DELETE CASCADE,
    group_id      TEXT NOT NULL,
    -- Stays when the user is gone: it counted for the messages of its time.
    user          INTEGER NOT NULL,
    joined_at     INTEGER NOT NULL,
    -- 0 for a current member.
    left_at       INTEGER NOT NULL,
    -- The member's position in the list of members: `joined_at`, or the position it had when it left a short while before.
    list_position INTEGER NOT NULL,
    PRIMARY KEY (group_key, user, joined_at)
) STRICT, WITHOUT ROWID;

CREATE INDEX members ON memberships (group_key, list_position, user) WHERE left_at = 0;
CREATE INDEX memberships_now ON memberships (user, group_id) WHERE left_at = 0;
CREATE INDEX memberships_by_user ON memberships (user, left_at);
CREATE INDEX memberships_past ON memberships (left_at) WHERE left_at > 0;

-- List positions of members who left within the last hour: a list that is read in pages while somebody leaves and joins
-- again misses nobody.
CREATE TABLE former_positions (
    group_key     INTEGER NOT NULL REFERENCES groups (key) ON DELETE CASCADE,
    user          INTEGER NOT NULL,
    list_position INTEGER NOT NULL,
    left_at       INTEGER NOT NULL,
    PRIMARY KEY (group_key, user)
) STRICT, WITHOUT ROWID;

CREATE INDEX former_positions_by_age ON former_positions (left_at);

CREATE TABLE group_messages (
    created_at INTEGER PRIMARY KEY REFERENCES notifications (created_at) ON DELETE CASCADE,
    group_key  INTEGER NOT NULL,
    -- 0 where the sender is no user.
    sender     INTEGER NOT NULL,
    -- Members at the post, without the sender, and how many of them have read it.
    members    INTEGER NOT NULL,
    read_count INTEGER NOT NULL
) STRICT;

CREATE INDEX group_messages_by_group ON group_messages (group_key, created_at, sender);

-- How far a member has read, one row for each time that it read on.
CREATE TABLE acks (
    group_key INTEGER NOT NULL,
    user      INTEGER NOT NULL,
    through   INTEGER NOT NULL,
    acked_at  INTEGER NOT NULL,
    PRIMARY KEY (group_key, user, through)
) STRICT, WITHOUT ROWID;

CREATE INDEX acks_by_through ON acks (through);

-- Read receipts that were not delivered to the sender yet; kept for a month.
CREATE TABLE receipts (
    sender  INTEGER NOT NULL REFERENCES users (key) ON DELETE CASCADE,
    stamp   INTEGER NOT NULL,
    -- `created_at` of the message.
    message INTEGER NOT NULL,
    -- The reader's id.
    reader  TEXT NOT NULL,
    read_at INTEGER NOT NULL,
    PRIMARY KEY (sender, stamp)
) STRICT, WITHOUT ROWID;

CREATE INDEX receipts_by_message ON receipts (message);

-- ===== What Gotify's clients know by numbers

-- What publishes by Gotify's API. Its messages are reminders to the target of type `application` with this id.
CREATE TABLE gotify_applications (
    -- Never given to another application.
    id               INTEGER PRIMARY KEY AUTOINCREMENT,
    user             INTEGER NOT NULL REFERENCES users (key) ON DELETE CASCADE,
    -- The id of its token, which may have been revoked.
    token            TEXT NOT NULL UNIQUE,
    -- The id of its target and of its actor: random, so that nobody else subscribes to it or follows it.
    target           TEXT NOT NULL,
    name             TEXT NOT NULL,
    description      TEXT NOT NULL,
    -- Of messages that have none, on Gotify's scale; 0 where it was not set.
    default_priority INTEGER NOT NULL,
    -- Its place in lists; empty where it was not set.
    sort_key         TEXT NOT NULL,
    created_at       INTEGER NOT NULL,
    -- When it published, to within five minutes; 0 for never.
    last_used        INTEGER NOT NULL DEFAULT 0,
    -- 1 while it is being removed: nothing is published by it any more.
    removed          INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE INDEX gotify_applications_by_user ON gotify_applications (user, id);

-- Pictures of applications.
CREATE TABLE gotify_images (
    application INTEGER PRIMARY KEY REFERENCES gotify_applications (id) ON DELETE CASCADE,
    user        INTEGER NOT NULL REFERENCES users (key) ON DELETE CASCADE,
    -- Random, with the extension of its format; it is served under this name.
    name        TEXT NOT NULL UNIQUE,
    bytes       INTEGER NOT NULL,
    content     BLOB NOT NULL
) STRICT;

CREATE INDEX gotify_images_by_user ON gotify_images (user, application, bytes);

-- Tokens that were made by Gotify's API to read with. A client's name is its token's label.
CREATE TABLE gotify_clients (
    -- Never given to another client.
    id    INTEGER PRIMARY KEY AUTOINCREMENT,
    user  INTEGER NOT NULL REFERENCES users (key) ON DELETE CASCADE,
    token TEXT NOT NULL UNIQUE REFERENCES tokens (id) ON DELETE CASCADE,
    -- When it was used last, to within minutes; 0 for never.
    last_used INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE INDEX gotify_clients_by_user ON gotify_clients (user, id);

-- The notifications that Gotify's clients of a user list, by their numbers.
CREATE TABLE gotify_messages (
    -- Grows in the order of publication and is never given to another message.
    id          INTEGER PRIMARY KEY AUTOINCREMENT,
    user        INTEGER NOT NULL REFERENCES users (key) ON DELETE CASCADE,
    application INTEGER NOT NULL REFERENCES gotify_applications (id),
    created_at  INTEGER NOT NULL UNIQUE REFERENCES notifications (created_at) ON DELETE CASCADE
) STRICT;

CREATE INDEX gotify_messages_by_user ON gotify_messages (user, id);
CREATE INDEX gotify_messages_by_application ON gotify_messages (application, id);
