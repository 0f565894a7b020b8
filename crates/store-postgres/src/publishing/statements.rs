//! The statements that write publications, one for each table, whatever the number of rows.

/// Cancels what waits for the targets `$1` under the names `$2`, from the publishers `$3`, and lets its files expire.
pub(super) const CANCEL: &str =
    "WITH gone AS (DELETE FROM scheduled d USING unnest($1, $2, $3) AS w (target, name, publisher)
        WHERE d.target = w.target AND (d.sequence = w.name OR d.msgid = w.name) AND d.publisher = w.publisher
        RETURNING d.msgid)
    UPDATE files SET expires_at = 0 WHERE expires_at > 0 AND msgid IN (SELECT msgid FROM gone)";

/// Lets the files of the publications `$1` expire.
pub(crate) const EXPIRE_OF: &str = "UPDATE files SET expires_at = 0 WHERE msgid = ANY($1) AND expires_at > 0";

/// Erases what a publication says, and records that it was taken back: `$1` its creation, `$2` the stamp.
pub(super) const ERASE: &str = "WITH asked AS (DELETE FROM open_questions WHERE created_at = $1)
    UPDATE notifications SET revised_at = $2, revision = 3, content = '{}', target_details = ''
    WHERE created_at = $1 AND revision <> 3 RETURNING 1";

/// Questions of new publications: `$1` their creation, `$2` when their time is over.
pub(super) const QUESTIONS: &str =
    "INSERT INTO open_questions (created_at, due) SELECT * FROM unnest($1::bigint[], $2::bigint[])";

/// Writes the outcome of a question: `$1` the creation of its publication, `$2` the content, `$3` the stamp. What was
/// cleared stays so, and those who listen to its topic are told of the clear at this stamp.
pub(super) const CLOSE: &str = "WITH asked AS (DELETE FROM open_questions WHERE created_at = $1),
    done AS (UPDATE notifications SET content = $2, revised_at = $3,
            revision = CASE WHEN revision = 2 THEN revision ELSE 4 END, closed = true
        WHERE created_at = $1 AND revision <> 3 RETURNING created_at, revised_at, revision),
    named AS (INSERT INTO revision_ids (stamp, created_at) SELECT revised_at, created_at FROM done WHERE revision = 2)
    SELECT 1 FROM done";

/// Takes a publication out of the lists of Gotify's clients.
pub(super) const LEAVE_GOTIFY: &str = "DELETE FROM gotify_messages WHERE created_at = $1";

pub(super) const SUBSCRIPTIONS: &str = "INSERT INTO subscriptions (user_key, target_type, target_id, action, reason, created_at)
    SELECT w.user_key, w.type, w.id, w.action, '', w.at FROM unnest($1, $2, $3, $4, $5) AS w (user_key, type, id, action, at)";

pub(super) const NOTIFICATIONS: &str =
    "INSERT INTO notifications (created_at, msgid, kind, actor_id, actor_name, action, target_type,
        target_id, target_details, content, publisher)
    SELECT * FROM unnest($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)";

pub(super) const REVISIONS: &str =
    "UPDATE notifications n SET revised_at = r.at, content_revised_at = r.at, revision = $4,
        content = CASE WHEN n.closed OR EXISTS (SELECT 1 FROM open_questions q WHERE q.created_at = n.created_at)
            THEN (r.content::jsonb || jsonb_build_object('question', n.content::jsonb -> 'question'))::text
            ELSE r.content END
    FROM unnest($1, $2, $3) AS r (created_at, content, at)
    WHERE n.created_at = ANY($1) AND n.created_at = r.created_at AND n.revision <> 3 RETURNING 1";

/// Opens the questions `$3` of the publications `$1`, revised at the stamps `$5`, whose time is over at `$2`. A question that
/// still waits at `$4` stays.
pub(super) const ASK_AGAIN: &str = "WITH opened AS (INSERT INTO open_questions (created_at, due, asked_at)
        SELECT * FROM unnest($1::bigint[], $2::bigint[], $5::bigint[])
        ON CONFLICT (created_at) DO UPDATE SET due = excluded.due, asked_at = excluded.asked_at
            WHERE open_questions.due <= $4 RETURNING created_at)
    UPDATE notifications n SET closed = false,
        content = (n.content::jsonb || jsonb_build_object('question', a.question::jsonb))::text
    FROM opened o JOIN unnest($1::bigint[], $3::text[]) AS a (created_at, question) ON a.created_at = o.created_at
    WHERE n.created_at = ANY($1) AND n.created_at = o.created_at";

/// Which notifications `$2` were revised at the stamps `$1`.
pub(super) const REVISION_IDS: &str =
    "INSERT INTO revision_ids (stamp, created_at) SELECT * FROM unnest($1::bigint[], $2::bigint[])";

pub(super) const SEQUENCES: &str =
    "INSERT INTO sequences (topic, name, publisher, created_at) SELECT * FROM unnest($1, $2, $3, $4)
    ON CONFLICT (topic, name, publisher) DO UPDATE SET created_at = excluded.created_at";

pub(super) const FILES: &str =
    "INSERT INTO files (name, msgid, uploader, file_name, media_type, bytes, published_at, expires_at)
    SELECT * FROM unnest($1, $2, $3, $4, $5, $6, $7, $8)";

/// Moves files to the publications that their delayed publications have become.
pub(super) const ATTACHED: &str = "UPDATE files f SET msgid = w.msgid, published_at = w.at
    FROM unnest($1, $2, $3) AS w (name, msgid, at) WHERE f.name = w.name";

pub(super) const FILE_BYTES: &str = "UPDATE counters SET file_bytes = file_bytes + $1";

pub(super) const GROUP_MESSAGES: &str = "INSERT INTO group_messages (created_at, group_key, sender, members, read_count)
    SELECT w.at, w.group_key, w.sender, w.members, 0 FROM unnest($1, $2, $3, $4) AS w (at, group_key, sender, members)";

/// A message is in an inbox at its own new stamp, so that no existing read mark covers it.
pub(super) const ITEMS: &str =
    "INSERT INTO items (user_key, created_at, stamp, version, kind, view, auto, own, unread)
    SELECT w.user_key, w.at, w.at, 1, 3, w.view, true, w.own, CASE WHEN w.own THEN 0 ELSE 1 END
    FROM unnest($1, $2, $3, $4) AS w (user_key, at, view, own)";

pub(super) const CONVERSATIONS: &str = "INSERT INTO conversations AS c (user_key, view, newest_at)
    SELECT w.user_key, w.view, max(w.at) FROM unnest($1, $2, $3) AS w (user_key, at, view) GROUP BY w.user_key, w.view
    ON CONFLICT (user_key, view) DO UPDATE SET newest_at = excluded.newest_at WHERE excluded.newest_at > c.newest_at";

pub(super) const INBOXES: &str = "UPDATE inboxes i SET last = w.at
    FROM (SELECT user_key, max(at) AS at FROM unnest($1, $2) AS w (user_key, at) GROUP BY user_key) w
    WHERE i.user_key = ANY($1) AND i.user_key = w.user_key AND i.last < w.at";

pub(super) const MESSAGES: &str = "INSERT INTO gotify_messages (id, user_key, application, created_at)
    SELECT * FROM unnest($1, $2, $3, $4)";

pub(super) const USED: &str = "UPDATE gotify_applications SET last_used = $2 WHERE id = ANY($1)";

/// `$1` numbers of messages, in the order of the log, which is locked.
pub(super) const MESSAGE_NUMBERS: &str =
    "SELECT nextval(pg_get_serial_sequence('gotify_messages', 'id')) FROM generate_series(1, $1)";
