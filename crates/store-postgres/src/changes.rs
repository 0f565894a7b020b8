//! What any process has changed since a position, for those who listen in this one. A transaction that hands out a
//! stamp of the log keeps the log locked until that is visible. So a snapshot with a stamp has all smaller ones.

use std::sync::atomic::Ordering;

use async_trait::async_trait;
use tidings_model::{Kind, Stamp};
use tidings_store::domain::account::UserKey;
use tidings_store::{ChangedInbox, Changes, Error, LiveStore, Recipients};
use tokio_postgres::Row;

use super::PostgresStore;
use super::groups::recipients;
use super::publishing::recall::holders;
use super::session::{Columns, Session, Values, rows};
use super::tx::{in_snapshot, reading};

const POSITION: &str = "SELECT last FROM log";

/// What was created, revised or changed in a group between two stamps; new direct messages show in their inboxes.
const POSTS: &str =
    "SELECT n.created_at, n.kind, n.action, n.target_type, n.target_id, n.actor_id, g.id, NULL::bigint[]
     FROM notifications n
     LEFT JOIN group_messages m ON m.created_at = n.created_at
     LEFT JOIN groups g ON g.key = m.group_key
     WHERE n.created_at > $1 AND n.created_at <= $2 ORDER BY n.created_at LIMIT $3";
const REVISED: &str = concat!(
    "SELECT n.revised_at, n.kind, n.action, n.target_type, n.target_id, n.actor_id, ",
    holders!(),
    ", n.created_at FROM notifications n WHERE n.revised_at > $1 AND n.revised_at <= $2 ORDER BY n.revised_at LIMIT $3"
);
const GROUPS: &str = "SELECT changed_at, id FROM groups WHERE changed_at > $1 AND changed_at <= $2 ORDER BY changed_at LIMIT $3";
const LEFT: &str = "SELECT left_at, user_key FROM memberships WHERE left_at > $1 AND left_at <= $2 ORDER BY left_at LIMIT $3";

const INBOXES: &str = "SELECT i.user_key, i.last,
       EXISTS (SELECT 1 FROM receipts r WHERE r.sender = i.user_key AND r.stamp > known.last)
     FROM unnest($1, $2) AS known (user_key, last)
     JOIN inboxes i ON i.user_key = known.user_key AND i.last > known.last";

const INBOX: &str = "SELECT last FROM inboxes WHERE user_key = $1";

async fn posts_since(s: &Session, since: Stamp, most: usize) -> Result<Changes, Error> {
    let upto = s.query_one(POSITION, &[]).await?.stamp(0)?;
    // The first call asks where the log is now.
    if since == Stamp::ZERO || upto <= since {
        return Ok(Changes { upto: upto.max(since), is_complete: true, ..Changes::default() });
    }
    let (from, to, limit) = (since.as_micros(), upto.as_micros(), rows(most));
    let values: Values<'_> = &[&from, &to, &limit];
    let found = s.pipeline(&[(POSTS, values), (REVISED, values), (GROUPS, values), (LEFT, values)]).await?;
    let is_complete = found.iter().all(|rows| rows.len() < most);
    let [created, revised, groups, left] = &*found else {
        return Err(tidings_store::failure::broken("an answer is missing"));
    };
    let mut posts = Vec::new();
    for row in created {
        if let Some(recipients) = recipients(row)? {
            posts.push((row.stamp(0)?, recipients));
        }
    }
    for row in revised {
        if let Some(recipients) = recipients(row)? {
            posts.push((row.stamp(0)?, recipients.revised(row.stamp(8)?)));
        }
    }
    for row in groups {
        posts.push((row.stamp(0)?, Recipients::Group(row.at(1)?)));
    }
    for row in left {
        posts.push((row.stamp(0)?, Recipients::Users(vec![UserKey(row.at(1)?)])));
    }
    posts.sort_by_key(|(stamp, _)| *stamp);
    Ok(Changes { upto, posts, is_complete, inboxes: Vec::new() })
}

/// The recipients of a publication; `None` if their inboxes show it.
fn recipients(row: &Row) -> Result<Option<Recipients>, Error> {
    Ok(match Kind::from_row(i64::from(row.at::<i16>(1)?)) {
        Some(Kind::Announcement) => Some(Recipients::Everyone),
        Some(Kind::Reminder) => Some(Recipients::Subscribers {
            action: row.at(2)?,
            kind: row.at(3)?,
            id: row.at(4)?,
            actor: row.at(5)?,
        }),
        Some(Kind::Message) => match (row.at::<Option<String>>(6)?, row.at::<Option<Vec<i64>>>(7)?) {
            (Some(group), _) => Some(Recipients::Group(group)),
            (None, users) => users.map(|users| Recipients::Users(users.into_iter().map(UserKey).collect())),
        },
        None => None,
    })
}

#[async_trait]
impl LiveStore for PostgresStore {
    async fn recipients_among(
        &self,
        all_recipients: &[Recipients],
        among: &[UserKey],
    ) -> Result<Vec<UserKey>, Error> {
        let most = self.bounds.recipients;
        reading!(self, |db| recipients::recipients_among(db, all_recipients, among, most).await)
    }

    fn is_shared(&self) -> bool {
        true
    }

    async fn others_changed(&self) {
        self.hints.others_changed().await;
    }

    async fn changes_since(&self, since: Stamp, known: &[(UserKey, Stamp)]) -> Result<Changes, Error> {
        let most = self.bounds.others_posts;
        let mut changes = in_snapshot!(self, |s| posts_since(s, since, most).await)?;
        for part in known.chunks(self.bounds.asked_inboxes) {
            let users: Vec<i64> = part.iter().map(|(user, _)| user.0).collect();
            let stamps: Vec<i64> = part.iter().map(|(_, stamp)| stamp.as_micros()).collect();
            let changed = reading!(self, |s| s.query(INBOXES, &[&users, &stamps]).await)?;
            for row in &changed {
                let (user, stamp) = (UserKey(row.at(0)?), row.stamp(1)?);
                changes.inboxes.push(ChangedInbox { user, stamp, has_receipts: row.at(2)? });
            }
        }
        Ok(changes)
    }

    async fn newest_stamp(&self) -> Result<Stamp, Error> {
        Ok(Stamp::from_micros(self.newest_stamp.load(Ordering::Acquire)))
    }

    async fn published_through(&self) -> Result<Stamp, Error> {
        reading!(self, |s| s.query_one(POSITION, &[]).await?.stamp(0))
    }

    async fn inbox_stamp(&self, user: UserKey) -> Result<Stamp, Error> {
        let found = reading!(self, |s| s.query_opt(INBOX, &[&user.0]).await)?;
        found.map_or(Ok(Stamp::ZERO), |row| row.stamp(0))
    }

    async fn position(&self, user: UserKey) -> Result<Stamp, Error> {
        // What comes into an inbox by fan-in has a later stamp than the log had.
        let sql = "SELECT greatest(l.last, (SELECT i.last FROM inboxes i WHERE i.user_key = $1)) FROM log l";
        reading!(self, |s| s.query_one(sql, &[&user.0]).await?.stamp(0))
    }
}
