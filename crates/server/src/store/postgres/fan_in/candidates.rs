//! Finds the candidates of fan-in: new and revised notifications that an inbox may have to take, oldest first. Queries
//! start from the smaller side: the new notifications or the user's subscriptions.

use tidings_model::Stamp;

use crate::domain::account::UserKey;
use crate::error::Error;
use crate::store::bounds::Bounds;
use crate::store::postgres::session::{Columns, Session, rows};

/// Excludes the user's own actions. A topic is its own actor even if a user has the same id. Of notifications `n` and the
/// inbox `h`.
macro_rules! not_own {
    () => {
        "(n.actor_id <> h.id OR (n.target_type = 'topic' AND n.target_id = n.actor_id))"
    };
}

/// Whether a subscription or a follow of the inbox `h`, made before a time, brings the reminder `n`.
macro_rules! brought {
    ($at:literal) => {
        concat!(
            not_own!(),
            " AND (EXISTS (SELECT 1 FROM subscriptions s WHERE s.user_key = $1 AND s.target_type = n.target_type
                    AND s.target_id = n.target_id AND s.action = n.action AND s.created_at < ",
            $at,
            ")
                OR EXISTS (SELECT 1 FROM follows f WHERE f.user_key = $1 AND f.actor = n.actor_id
                    AND f.created_at < ",
            $at,
            "))"
        )
    };
}

/// Whether the inbox `h` would get the new content of `n` as a new publication.
macro_rules! entitled {
    () => {
        concat!("(n.kind = 2 AND ", brought!("n.content_revised_at"), ")")
    };
}

/// Whether the user was in a group `g` after the position `h`.
macro_rules! was_in_group {
    () => {
        "(SELECT 1 FROM memberships s WHERE s.group_key = g.key AND s.user_key = $1
            AND (s.left_at = 0 OR s.left_at > h.passed))"
    };
}

/// The inbox `h` with its position, which data that retention removes counts as passed, and the newest stamp of the
/// log. All is read in the snapshot of one statement. A transaction that hands out a stamp of the log keeps the log
/// locked until the change is visible, so everything up to `upto` is there.
macro_rules! inbox {
    ($passed:literal, $upto:literal) => {
        concat!(
            "WITH h AS MATERIALIZED (SELECT u.key, u.id, greatest(",
            $passed,
            ", m.forgotten_before - 1) AS passed, ",
            $upto,
            " AS upto, l.last AS newest
            FROM users u JOIN inboxes i ON i.user_key = u.key CROSS JOIN meta m CROSS JOIN log l
            WHERE u.key = $1 AND u.id < '~')"
        )
    };
}

/// The new candidates for an inbox. `$1` the user, `$2` a position up to which nothing is new. At most `$3` new
/// reminders, group messages, contents, changes and changed groups are looked at; if there are as many, there may be
/// more. The last column says whether a question has to be ended whose time is over at `$4`.
const NEWS: &str = concat!(
    inbox!("i.pulled_to, $2", "l.last"),
    ",
    reminders AS MATERIALIZED (SELECT n.created_at, n.action, n.target_type, n.target_id, n.actor_id
        FROM h CROSS JOIN LATERAL (SELECT * FROM notifications r WHERE r.kind = 2 AND r.created_at > h.passed
            ORDER BY r.created_at LIMIT $3) n),
    messages AS MATERIALIZED (SELECT g.created_at, g.group_key, g.sender FROM h CROSS JOIN LATERAL (
        SELECT * FROM group_messages m WHERE m.created_at > h.passed ORDER BY m.created_at LIMIT $3) g),
    contents AS MATERIALIZED (SELECT n.created_at, n.kind, n.action, n.target_type, n.target_id, n.actor_id,
            n.content_revised_at
        FROM h CROSS JOIN LATERAL (SELECT * FROM notifications r
            WHERE r.content_revised_at > 0 AND r.content_revised_at > h.passed ORDER BY r.content_revised_at LIMIT $3) n),
    changes AS MATERIALIZED (SELECT n.created_at FROM h CROSS JOIN LATERAL (
        SELECT r.created_at FROM notifications r WHERE r.revision > 1 AND r.revised_at > h.passed
            ORDER BY r.revised_at LIMIT $3) n),
    changed AS MATERIALIZED (SELECT g.key, g.id FROM h CROSS JOIN LATERAL (SELECT r.key, r.id FROM groups r
        WHERE r.changed_at > h.passed ORDER BY r.changed_at LIMIT $3) g)
    SELECT h.passed, h.newest, (SELECT count(*) FROM reminders), (SELECT count(*) FROM messages),
        (SELECT count(*) FROM contents), (SELECT count(*) FROM changes), (SELECT count(*) FROM changed),
        EXISTS (SELECT 1 FROM notifications n WHERE n.kind = 1 AND n.created_at > h.passed)
        OR EXISTS (SELECT 1 FROM reminders n WHERE ",
    brought!("n.created_at"),
    ") OR EXISTS (SELECT 1 FROM messages m JOIN memberships s ON s.group_key = m.group_key AND s.user_key = $1
            AND s.joined_at < m.created_at AND (s.left_at = 0 OR s.left_at > m.created_at) WHERE m.sender <> $1)
        OR EXISTS (SELECT 1 FROM contents n WHERE ",
    entitled!(),
    ") OR EXISTS (SELECT 1 FROM (SELECT created_at FROM contents UNION ALL
                SELECT created_at FROM changes) r
            CROSS JOIN LATERAL (SELECT 1 FROM items i WHERE i.user_key = $1 AND i.created_at = r.created_at LIMIT 1) i)
        OR EXISTS (SELECT 1 FROM changed g WHERE g.id < '~' AND EXISTS ",
    was_in_group!(),
    "),
        EXISTS (SELECT 1 FROM open_questions WHERE due <= $4)
    FROM h"
);

/// The work that a wide search would be, and where it ends: `$1` the user, `$2` the position. No more than `$3` new
/// reminders and group messages, and `$4` new contents and changes, are considered at once, however long the user did
/// not pull. The horizon is the last of them, one past the bound if there are more. Then come the numbers of new
/// reminders, of group messages, and of subscriptions and follows, up to that bound.
const WORK: &str = "SELECT least(CASE WHEN r.n > $3 THEN r.at END, CASE WHEN m.n > $3 THEN m.at END,
        CASE WHEN c.n > $4 THEN c.at END, CASE WHEN v.n > $4 THEN v.at END), r.n, m.n,
    (SELECT count(*) FROM (SELECT 1 FROM subscriptions WHERE user_key = $1 LIMIT $3 + 1) x)
        + (SELECT count(*) FROM (SELECT 1 FROM follows WHERE user_key = $1 LIMIT $3 + 1) x), c.n + v.n
    FROM (SELECT count(*) AS n, max(x.at) AS at FROM (SELECT created_at AS at FROM notifications
            WHERE kind = 2 AND created_at > $2 ORDER BY created_at LIMIT $3 + 1) x) r
    CROSS JOIN (SELECT count(*) AS n, max(x.at) AS at FROM (SELECT created_at AS at FROM group_messages
            WHERE created_at > $2 ORDER BY created_at LIMIT $3 + 1) x) m
    CROSS JOIN (SELECT count(*) AS n, max(x.at) AS at FROM (SELECT content_revised_at AS at FROM notifications
            WHERE content_revised_at > 0 AND content_revised_at > $2 ORDER BY content_revised_at LIMIT $4 + 1) x) c
    CROSS JOIN (SELECT count(*) AS n, max(x.at) AS at FROM (SELECT revised_at AS at FROM notifications
            WHERE revision > 1 AND revised_at > $2 ORDER BY revised_at LIMIT $4 + 1) x) v";

/// How the candidates of an inbox are searched.
#[derive(Debug, Clone, Copy)]
pub(super) struct Search {
    /// The time up to which the search goes. Nothing else ends it: what a bound leaves out comes after the horizon.
    upto: Stamp,
    /// Whether each subscription and follow is searched for new reminders, instead of the other way round.
    by_source: bool,
    /// Whether each membership is searched for new messages and changed groups, instead of the other way round.
    by_group: bool,
}

/// The result of [`NEWS`].
struct News {
    passed: Stamp,
    newest: Stamp,
    /// The numbers of new reminders, group messages, contents, changes and changed groups.
    counts: [usize; 5],
    is_due: bool,
    /// Whether a question has to be ended.
    ends_question: bool,
}

impl News {
    async fn read(
        db: &Session,
        user: UserKey,
        after: Stamp,
        bounds: &Bounds,
        now: Stamp,
    ) -> Result<Self, Error> {
        let limit = rows(bounds.tested_rows + 1);
        let row = db.query_opt(NEWS, &[&user.0, &after.as_micros(), &limit, &now.as_micros()]).await?;
        let row = row.ok_or_else(|| Error::not_found("user"))?;
        let mut counts = [0; 5];
        for (nth, count) in counts.iter_mut().enumerate() {
            *count = row.count(nth + 2)?;
        }
        let (is_due, ends_question) = (row.at(7)?, row.at(8)?);
        Ok(Self { passed: row.stamp(0)?, newest: row.stamp(1)?, counts, is_due, ends_question })
    }

    /// Whether it has looked at everything.
    fn is_all(&self, bounds: &Bounds) -> bool {
        self.counts.iter().all(|count| *count <= bounds.tested_rows)
    }
}

/// Looks for anything that is due for an inbox; `None` if there is nothing. Also says whether a question has to be ended
/// before, whose time is over at `now`.
pub(super) async fn due(
    db: &Session,
    user: UserKey,
    bounds: &Bounds,
    now: Stamp,
) -> Result<(bool, Option<Search>), Error> {
    let news = News::read(db, user, Stamp::ZERO, bounds, now).await?;
    Ok((news.ends_question, search_for(db, user, bounds, &news).await?))
}

async fn search_for(
    db: &Session,
    user: UserKey,
    bounds: &Bounds,
    news: &News,
) -> Result<Option<Search>, Error> {
    if news.is_all(bounds) {
        let search = Search { upto: Stamp::MAX, by_source: false, by_group: false };
        return Ok(news.is_due.then_some(search));
    }
    let (new_rows, revisions) = (rows(bounds.new_rows), rows(bounds.revisions));
    let work = db.query_in_order(WORK, &[&user.0, &news.passed.as_micros(), &new_rows, &revisions]).await?;
    let work = work.first().ok_or_else(|| Error::not_found("user"))?;
    let (horizon, new_reminders, new_messages, sources, revised) =
        (work.time(0)?, work.count(1)?, work.count(2)?, work.count(3)?, work.count(4)?);
    let [_, messages, _, _, groups] = news.counts;
    let by_source = new_reminders > bounds.tested_rows && new_reminders > sources;
    // Counting them examined them, whatever the search does.
    let is_long = horizon.is_some() || new_reminders + new_messages + revised > bounds.worth_a_write;
    // What comes meanwhile is for the next search.
    let upto = horizon.map_or(news.newest, |horizon| horizon.min(news.newest));
    let by_group = messages > bounds.tested_rows || groups > bounds.tested_rows;
    let search = Search { upto, by_source, by_group };
    if news.is_due || is_long {
        return Ok(Some(search));
    }
    let found = db.query(search.sql(), &[&user.0, &upto.as_micros(), &1_i64]).await?;
    let any = found.first().map(|row| row.at::<Option<i32>>(2)).transpose()?.flatten().is_some();
    Ok(any.then_some(search))
}

/// Whether it takes only a short look to know that nothing is due for an inbox after a position up to which nothing
/// was.
pub(super) async fn nothing_due(
    db: &Session,
    user: UserKey,
    after: Stamp,
    bounds: &Bounds,
    now: Stamp,
) -> Result<bool, Error> {
    let news = News::read(db, user, after, bounds, now).await?;
    Ok(news.is_all(bounds) && !news.is_due && !news.ends_question)
}

/// Rows are looked up by `LATERAL` with a `LIMIT`, which keeps PostgreSQL from reading a whole table into a hash instead.
macro_rules! search {
    ($reminders:expr, $messages:expr, $groups:expr) => {
        concat!(
            inbox!("i.pulled_to", "least(l.last, $2)"),
            ",
            c AS MATERIALIZED (SELECT * FROM (
                (SELECT 1 AS sort, n.created_at AS at, n.created_at, NULL::bigint AS group_key, false AS is_entitled FROM h
                    CROSS JOIN LATERAL (SELECT created_at FROM notifications WHERE kind = 1 AND created_at > h.passed
                        AND created_at <= h.upto ORDER BY created_at LIMIT $3) n)
                UNION ALL (SELECT 2, n.created_at, n.created_at, NULL, true FROM h CROSS JOIN LATERAL (",
            $reminders,
            ") n)
                UNION ALL (SELECT 3, m.created_at, m.created_at, m.group_key, false FROM h CROSS JOIN LATERAL (",
            $messages,
            ") m)
                UNION ALL (SELECT 4, n.revised_at, n.created_at, NULL, false FROM h CROSS JOIN LATERAL (
                    SELECT r.revised_at, r.created_at FROM (SELECT revised_at, created_at FROM notifications
                        WHERE revision > 1 AND revised_at > h.passed AND revised_at <= h.upto ORDER BY revised_at) r
                    CROSS JOIN LATERAL (SELECT 1 FROM items WHERE user_key = $1 AND created_at = r.created_at LIMIT 1) i
                    ORDER BY r.revised_at LIMIT $3) n)
                UNION ALL (SELECT 5, g.changed_at, NULL, g.key, false FROM h CROSS JOIN LATERAL (",
            $groups,
            ") g)
                UNION ALL (SELECT 6, n.content_revised_at, n.created_at, NULL, n.is_entitled FROM h CROSS JOIN LATERAL (
                    SELECT n.content_revised_at, n.created_at, n.is_entitled FROM (
                        SELECT n.content_revised_at, n.created_at, ",
            entitled!(),
            " AS is_entitled FROM notifications n WHERE n.content_revised_at > 0 AND n.content_revised_at > h.passed
                            AND n.content_revised_at <= h.upto ORDER BY n.content_revised_at) n
                    LEFT JOIN LATERAL (SELECT true AS has_item FROM items
                        WHERE user_key = $1 AND created_at = n.created_at LIMIT 1) i ON true
                    WHERE n.is_entitled OR i.has_item ORDER BY n.content_revised_at LIMIT $3) n)
                ) x ORDER BY x.at LIMIT $3)
            SELECT h.upto, h.newest, c.sort, c.at, c.group_key, n.created_at, n.kind, n.actor_id = h.id, n.action,
                w.view, v.mark, n.content_revised_at, n.revision,
                i.auto, i.own, i.seen_at, i.read_at, i.archived_at, i.snoozed_until, i.deleted, i.revised_at,
                coalesce(t.is_barred, false), i.edited_at, c.is_entitled, coalesce(n.closed, false), i.closed
            FROM h LEFT JOIN c ON true
            LEFT JOIN LATERAL (SELECT * FROM notifications WHERE created_at = c.created_at LIMIT 1) n ON true
            LEFT JOIN LATERAL (SELECT id FROM groups WHERE key = c.group_key LIMIT 1) g ON true
            LEFT JOIN LATERAL (SELECT * FROM items WHERE c.sort IN (4, 6) AND user_key = $1 AND created_at = c.created_at
                LIMIT 1) i ON true
            CROSS JOIN LATERAL (SELECT coalesce(i.view, CASE n.kind WHEN 1 THEN 'all'
                WHEN 2 THEN n.target_type || ':' || n.target_id ELSE 'group:' || g.id END) AS view) w
            LEFT JOIN LATERAL (SELECT position(' ' || h.id || ' ' IN readers) = 0 AS is_barred FROM topics
                WHERE n.kind = 2 AND n.target_type = 'topic' AND topic = n.target_id AND readers <> '' LIMIT 1) t ON true
            LEFT JOIN LATERAL (SELECT mark FROM read_marks WHERE user_key = $1 AND kind = n.kind AND view = w.view
                LIMIT 1) v ON true
            ORDER BY c.at"
        )
    };
}

/// Tests each new reminder for a matching subscription or follow.
macro_rules! by_reminder {
    () => {
        concat!(
            "SELECT n.created_at FROM notifications n WHERE n.kind = 2 AND n.created_at > h.passed AND n.created_at <= h.upto
                AND ",
            brought!("n.created_at"),
            " ORDER BY n.created_at LIMIT $3"
        )
    };
}

/// Searches new reminders for each subscription and follow. The union has each reminder once.
macro_rules! by_source {
    () => {
        concat!(
            "SELECT x.created_at FROM (
                SELECT n.created_at FROM subscriptions s CROSS JOIN LATERAL (SELECT n.created_at FROM notifications n
                    WHERE n.kind = 2 AND n.target_type = s.target_type AND n.target_id = s.target_id AND n.action = s.action
                        AND n.created_at > greatest(s.created_at, h.passed) AND n.created_at <= h.upto AND ",
            not_own!(),
            " ORDER BY n.created_at LIMIT $3) n WHERE s.user_key = $1
                UNION
                SELECT n.created_at FROM follows f CROSS JOIN LATERAL (SELECT n.created_at FROM notifications n
                    WHERE n.kind = 2 AND n.actor_id = f.actor
                        AND n.created_at > greatest(f.created_at, h.passed) AND n.created_at <= h.upto AND ",
            not_own!(),
            " ORDER BY n.created_at LIMIT $3) n WHERE f.user_key = $1) x ORDER BY x.created_at LIMIT $3"
        )
    };
}

/// Tests each new group message for a membership.
macro_rules! by_message {
    () => {
        "SELECT m.created_at, m.group_key FROM group_messages m WHERE m.created_at > h.passed AND m.created_at <= h.upto
            AND m.sender <> $1 AND EXISTS (SELECT 1 FROM memberships s WHERE s.group_key = m.group_key
                AND s.user_key = $1 AND s.joined_at < m.created_at
                AND (s.left_at = 0 OR s.left_at > m.created_at)) ORDER BY m.created_at LIMIT $3"
    };
}

/// Searches new messages for each membership.
macro_rules! by_group {
    () => {
        "SELECT m.created_at, m.group_key FROM memberships s CROSS JOIN LATERAL (
            SELECT m.created_at, m.group_key FROM group_messages m WHERE m.group_key = s.group_key
                AND m.created_at > greatest(s.joined_at, h.passed) AND m.created_at <= h.upto
                AND (s.left_at = 0 OR m.created_at < s.left_at) AND m.sender <> $1 ORDER BY m.created_at LIMIT $3) m
            WHERE s.user_key = $1 AND (s.left_at = 0 OR s.left_at > h.passed) ORDER BY m.created_at LIMIT $3"
    };
}

/// Tests each changed group for a membership.
macro_rules! by_change {
    () => {
        concat!(
            "SELECT g.key, g.changed_at FROM groups g WHERE g.changed_at > h.passed AND g.changed_at <= h.upto
                AND g.id < '~' AND EXISTS ",
            was_in_group!(),
            " ORDER BY g.changed_at LIMIT $3"
        )
    };
}

/// Looks up the group of each membership; a group that the user left and joined again is one.
macro_rules! by_membership {
    () => {
        "SELECT DISTINCT g.key, g.changed_at FROM memberships s CROSS JOIN LATERAL (
            SELECT r.key, r.changed_at FROM groups r WHERE r.key = s.group_key AND r.changed_at > h.passed
                AND r.changed_at <= h.upto AND r.id < '~' LIMIT 1) g
            WHERE s.user_key = $1 AND (s.left_at = 0 OR s.left_at > h.passed) ORDER BY g.changed_at LIMIT $3"
    };
}

impl Search {
    /// The statement of the search: `$1` the user, `$2` up to a time, `$3` the most candidates. It has one row without a
    /// candidate if there are none.
    pub(super) fn sql(self) -> &'static str {
        match (self.by_source, self.by_group) {
            (false, false) => search!(by_reminder!(), by_message!(), by_change!()),
            (false, true) => search!(by_reminder!(), by_group!(), by_membership!()),
            (true, false) => search!(by_source!(), by_message!(), by_change!()),
            (true, true) => search!(by_source!(), by_group!(), by_membership!()),
        }
    }

    /// The time up to which it goes, as a value of the statement.
    pub(super) fn upto(self) -> i64 {
        self.upto.as_micros()
    }

    /// Candidates of a page, as a value of the statement.
    pub(super) fn page(limit: usize) -> i64 {
        rows(limit)
    }
}
