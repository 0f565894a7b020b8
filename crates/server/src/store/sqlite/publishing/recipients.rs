//! Finds the recipients of publications among the connected users, with bounded work.

use std::collections::HashSet;

use rusqlite::{Connection, Statement, ToSql};

use crate::domain::account::UserKey;
use crate::error::Error;
use crate::store::Recipients;
use crate::store::sqlite::tables::groups;

/// Rows and lookups that one batch of publications may cost. Beyond it all users in question get a hint: a needless
/// pull is cheap.
const WORK: usize = 100_000;

/// Those of the users in `among` who may be recipients.
pub(crate) fn recipients_among(
    conn: &Connection,
    all_recipients: &[Recipients],
    among: &[UserKey],
) -> Result<Vec<UserKey>, Error> {
    Ok(within(conn, all_recipients, among, WORK)?.0)
}

/// As [`recipients_among`] with a given bound; also gives the work done.
pub(crate) fn within(
    conn: &Connection,
    all_recipients: &[Recipients],
    among: &[UserKey],
    work: usize,
) -> Result<(Vec<UserKey>, usize), Error> {
    let mut search = RecipientSearch { left: among.iter().copied().collect(), work };
    for recipients in all_recipients {
        if search.left.is_empty() || search.work == 0 {
            break;
        }
        match recipients {
            Recipients::Everyone => search.left.clear(),
            Recipients::Users(users) => search.name(users),
            Recipients::Group(id) => {
                if let Some(group) = groups::key_of(conn, id)? {
                    search.members(conn, group)?;
                }
            }
            Recipients::Subscribers { kind, id, action, actor } => {
                search.subscribers(conn, &[kind, id, action])?;
                search.followers(conn, actor)?;
            }
        }
    }
    if search.work == 0 {
        search.left.clear();
    }
    let found = among.iter().filter(|user| !search.left.contains(user)).copied().collect();
    Ok((found, work - search.work))
}

/// The users not known to be recipients yet, and the work that is left.
struct RecipientSearch {
    left: HashSet<UserKey>,
    work: usize,
}

impl RecipientSearch {
    fn name(&mut self, users: &[UserKey]) {
        for user in users {
            self.left.remove(user);
        }
    }

    fn members(&mut self, conn: &Connection, group: i64) -> Result<(), Error> {
        let mut all = conn.prepare_cached(
            "SELECT user FROM memberships INDEXED BY members WHERE group_key = ?1 AND left_at = 0 LIMIT ?2",
        )?;
        let mut one = conn
            .prepare_cached("SELECT 1 FROM memberships WHERE group_key = ?1 AND user = ?2 AND left_at = 0")?;
        self.either(&mut all, &mut one, &[&group])
    }

    fn subscribers(&mut self, conn: &Connection, target: &[&String; 3]) -> Result<(), Error> {
        let [kind, id, action] = target;
        let mut all = conn.prepare_cached(
            "SELECT user FROM subscriptions INDEXED BY subscriptions_by_target
             WHERE target_type = ?1 AND target_id = ?2 AND action = ?3 LIMIT ?4",
        )?;
        let mut one = conn.prepare_cached(
            "SELECT 1 FROM subscriptions WHERE target_type = ?1 AND target_id = ?2 AND action = ?3 AND user = ?4",
        )?;
        self.either(&mut all, &mut one, &[kind, id, action])
    }

    fn followers(&mut self, conn: &Connection, actor: &str) -> Result<(), Error> {
        let mut all = conn.prepare_cached(
            "SELECT user FROM follows INDEXED BY follows_by_actor WHERE actor = ?1 LIMIT ?2",
        )?;
        let mut one = conn.prepare_cached("SELECT 1 FROM follows WHERE actor = ?1 AND user = ?2")?;
        self.either(&mut all, &mut one, &[&actor])
    }

    /// Searches in one of two directions: reads all users of the place, where they are no more than the users left,
    /// otherwise looks up each user left.
    fn either(
        &mut self,
        all: &mut Statement<'_>,
        one: &mut Statement<'_>,
        place: &[&dyn ToSql],
    ) -> Result<(), Error> {
        let most = self.left.len().min(self.work);
        let limit = most + 1;
        let mut values = place.to_vec();
        values.push(&limit);
        let users: Vec<UserKey> =
            all.query_map(values.as_slice(), |r| r.get(0).map(UserKey))?.collect::<Result<_, _>>()?;
        self.work = self.work.saturating_sub(users.len());
        self.name(&users);
        if users.len() <= most {
            return Ok(());
        }
        let mut found = Vec::new();
        for user in self.left.iter().take(self.work) {
            let mut values = place.to_vec();
            values.push(&user.0);
            if one.exists(values.as_slice())? {
                found.push(*user);
            }
        }
        self.work = self.work.saturating_sub(self.left.len());
        self.name(&found);
        Ok(())
    }
}
