//! Finds the candidates of fan-in: new and revised notifications that an inbox may have to take, oldest first. Queries
//! start from the smaller side: the new notifications or the user's subscriptions.

mod macros;
mod statement;

use tidings_model::Stamp;
use tidings_store::domain::account::UserKey;
use tidings_store::{Bounds, Error};

use self::macros::{brought, entitled, inbox, not_own, was_in_group};
use crate::session::{Columns, Session, rows};

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
pub(super) struct CandidateSearch {
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
) -> Result<(bool, Option<CandidateSearch>), Error> {
    let news = News::read(db, user, Stamp::ZERO, bounds, now).await?;
    Ok((news.ends_question, search_for(db, user, bounds, &news).await?))
}

async fn search_for(
    db: &Session,
    user: UserKey,
    bounds: &Bounds,
    news: &News,
) -> Result<Option<CandidateSearch>, Error> {
    if news.is_all(bounds) {
        let search = CandidateSearch { upto: Stamp::MAX, by_source: false, by_group: false };
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
    let search = CandidateSearch { upto, by_source, by_group };
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
