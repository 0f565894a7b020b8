//! Finds the recipients of publications among the connected users, with bounded work.

use std::collections::HashSet;
use std::sync::atomic::Ordering;

use async_trait::async_trait;
use rusqlite::{Connection, Statement, ToSql};
use tidings_model::Stamp;
use tidings_store::domain::topic::TOPIC_TARGET;
use tidings_store::{Error, LiveStore, Recipients, UpkeepStore, UserKey};

use crate::SqliteStore;
use crate::tables::topics::settings;
use crate::tables::{groups, users};

#[async_trait]
impl LiveStore for SqliteStore {
    async fn recipients_among(
        &self,
        all_recipients: &[Recipients],
        among: &[UserKey],
    ) -> Result<Vec<UserKey>, Error> {
        let (all_recipients, among) = (all_recipients.to_vec(), among.to_vec());
        let most = self.bounds.recipients;
        self.read(move |c| Ok(recipients_within(c, &all_recipients, &among, most)?.0)).await
    }

    async fn newest_stamp(&self) -> Result<Stamp, Error> {
        Ok(Stamp::from_micros(self.newest_stamp.load(Ordering::Acquire)))
    }

    async fn position(&self, _: UserKey) -> Result<Stamp, Error> {
        Ok(self.meta().await?.last_stamp)
    }
}

/// Those of the users in `among` who may be recipients, and the work done. Beyond `max_examined` rows and look-ups these are
/// all of them.
pub(crate) fn recipients_within(
    conn: &Connection,
    all_recipients: &[Recipients],
    among: &[UserKey],
    max_examined: usize,
) -> Result<(Vec<UserKey>, usize), Error> {
    let mut search = RecipientSearch { undecided: among.iter().copied().collect(), rows_left: max_examined };
    for recipients in all_recipients {
        if search.undecided.is_empty() || search.rows_left == 0 {
            break;
        }
        search.look_for(conn, recipients)?;
    }
    if search.rows_left == 0 {
        search.undecided.clear();
    }
    let found = among.iter().filter(|user| !search.undecided.contains(user)).copied().collect();
    Ok((found, max_examined - search.rows_left))
}

/// The users not known to be recipients yet, and the work that is left.
struct RecipientSearch {
    undecided: HashSet<UserKey>,
    rows_left: usize,
}

impl RecipientSearch {
    fn look_for(&mut self, conn: &Connection, recipients: &Recipients) -> Result<(), Error> {
        match recipients {
            Recipients::Everyone => self.undecided.clear(),
            Recipients::Users(users) => self.decide(users),
            Recipients::Group(id) => {
                if let Some(group) = groups::key_of(conn, id)? {
                    self.members(conn, group)?;
                }
            }
            Recipients::Subscribers { kind, id, action, actor } => {
                let readers = if kind == TOPIC_TARGET { settings::readers(conn, id)? } else { None };
                if let Some(readers) = readers {
                    self.readers(conn, &readers)?;
                } else {
                    self.subscribers(conn, &[kind, id, action])?;
                    self.followers(conn, actor)?;
                }
            }
            Recipients::Revised { created_at, audience } => {
                self.holders(conn, *created_at)?;
                self.look_for(conn, audience)?;
            }
        }
        Ok(())
    }

    fn decide(&mut self, users: &[UserKey]) {
        for user in users {
            self.undecided.remove(user);
        }
    }

    /// Those who are named as readers of a topic, whatever they subscribe to: they are few.
    fn readers(&mut self, conn: &Connection, ids: &[String]) -> Result<(), Error> {
        for id in ids.iter().take(self.rows_left) {
            if let Some(user) = users::by_id(conn, id)? {
                self.undecided.remove(&user.key);
            }
        }
        self.rows_left = self.rows_left.saturating_sub(ids.len());
        Ok(())
    }

    fn members(&mut self, conn: &Connection, group: i64) -> Result<(), Error> {
        let mut all = conn.prepare_cached(
            "SELECT user FROM memberships INDEXED BY members WHERE group_key = ?1 AND left_at = 0 LIMIT ?2",
        )?;
        let mut probe = conn
            .prepare_cached("SELECT 1 FROM memberships WHERE group_key = ?1 AND user = ?2 AND left_at = 0")?;
        self.match_smaller_side(&mut all, &mut probe, &[&group])
    }

    fn subscribers(&mut self, conn: &Connection, target: &[&String; 3]) -> Result<(), Error> {
        let [kind, id, action] = target;
        let mut all = conn.prepare_cached(
            "SELECT user FROM subscriptions INDEXED BY subscriptions_by_target
             WHERE target_type = ?1 AND target_id = ?2 AND action = ?3 LIMIT ?4",
        )?;
        let mut probe = conn.prepare_cached(
            "SELECT 1 FROM subscriptions WHERE target_type = ?1 AND target_id = ?2 AND action = ?3 AND user = ?4",
        )?;
        self.match_smaller_side(&mut all, &mut probe, &[kind, id, action])
    }

    fn followers(&mut self, conn: &Connection, actor: &str) -> Result<(), Error> {
        let mut all = conn.prepare_cached(
            "SELECT user FROM follows INDEXED BY follows_by_actor WHERE actor = ?1 LIMIT ?2",
        )?;
        let mut probe = conn.prepare_cached("SELECT 1 FROM follows WHERE actor = ?1 AND user = ?2")?;
        self.match_smaller_side(&mut all, &mut probe, &[&actor])
    }

    /// Those who have a publication, whatever they are in or subscribe to by now.
    fn holders(&mut self, conn: &Connection, created_at: Stamp) -> Result<(), Error> {
        let mut all = conn.prepare_cached(
            "SELECT user FROM items INDEXED BY items_by_age WHERE created_at = ?1 LIMIT ?2",
        )?;
        let mut probe = conn.prepare_cached("SELECT 1 FROM items WHERE created_at = ?1 AND user = ?2")?;
        self.match_smaller_side(&mut all, &mut probe, &[&created_at.as_micros()])
    }

    /// Searches in one of two directions: reads all users of the place, if they are no more than the users left,
    /// otherwise looks up each user left.
    fn match_smaller_side(
        &mut self,
        all: &mut Statement<'_>,
        probe: &mut Statement<'_>,
        params: &[&dyn ToSql],
    ) -> Result<(), Error> {
        let max_rows = self.undecided.len().min(self.rows_left);
        let limit = max_rows + 1;
        let mut values = params.to_vec();
        values.push(&limit);
        let users: Vec<UserKey> =
            all.query_map(values.as_slice(), |r| r.get(0).map(UserKey))?.collect::<Result<_, _>>()?;
        self.rows_left = self.rows_left.saturating_sub(users.len());
        self.decide(&users);
        if users.len() <= max_rows {
            return Ok(());
        }
        let mut found = Vec::new();
        for user in self.undecided.iter().take(self.rows_left) {
            let mut values = params.to_vec();
            values.push(&user.0);
            if probe.exists(values.as_slice())? {
                found.push(*user);
            }
        }
        self.rows_left = self.rows_left.saturating_sub(self.undecided.len());
        self.decide(&found);
        Ok(())
    }
}
