//! What has to be known, and locked, before publications are stored: one round trip, whatever they are.

mod asked;

use std::collections::{HashMap, HashSet};

use tidings_model::Stamp;
use tidings_store::domain::account::UserKey;
use tidings_store::domain::draft::{Audience, Draft};
use tidings_store::named::Named;
use tidings_store::{Error, StoredResponse};
use tokio_postgres::Row;

use self::asked::Questions;
use super::names::FIND;
use super::request::{Item, Request, name_of};
use crate::answers::{self, StoredAnswer};
use crate::clock::NOW;
use crate::names::LOCK_NAMES;
use crate::session::{Columns, Value, Values};
use crate::tx::WriteTx;

/// A user who is not removed.
pub(super) struct KnownUser {
    pub(super) key: UserKey,
    pub(super) name: String,
}

/// A group whose row is locked.
pub(super) struct KnownGroup {
    pub(super) key: i64,
    pub(super) member_count: i64,
}

/// A user, a target type, a target id and an action.
pub(super) type SubscriptionKey = (i64, String, String, String);

/// The facts about the publications of a transaction.
#[derive(Default)]
pub(super) struct Facts {
    /// The database's clock, microseconds, if it was asked.
    now: Option<i64>,
    /// What was found, by token and key, expired or not.
    kept: HashMap<(String, String), StoredAnswer>,
    /// The stored responses, by token and key.
    pub(super) replays: HashMap<(String, String), StoredResponse>,
    pub(super) users: HashMap<String, KnownUser>,
    /// Senders of messages who were removed.
    removed: HashSet<String>,
    /// The newest stamps of the inboxes that are locked.
    pub(super) inboxes: HashMap<i64, Stamp>,
    pub(super) groups: HashMap<String, KnownGroup>,
    /// Groups and members.
    pub(super) members: HashSet<(String, String)>,
    /// Subscriptions that are to be there and are missing.
    pub(super) missing: HashSet<SubscriptionKey>,
    /// What the names of drafts mean to their publishers, by topic and name.
    pub(super) named: HashMap<(String, String), Named>,
    /// Users and last uses of applications that are not being removed.
    pub(super) applications: HashMap<i64, (i64, Stamp)>,
}

/// `$1` ids.
const USERS: &str = "SELECT id, key, name FROM users WHERE id = ANY($1) AND id < '~'";

/// Those of the ids `$1` that were those of users who were removed.
const REMOVED: &str = "SELECT id FROM former_users WHERE id = ANY($1)";

/// The inboxes of the users `$1`, and of those whose subscription `$2` to `$5` is missing. This is an array, and no
/// join. If another transaction changed a row meanwhile, PostgreSQL looks again whether it is meant, and a join with a
/// grouped subquery then loses it.
const INBOXES: &str = "SELECT user_key, last FROM inboxes WHERE user_key = ANY(ARRAY(
        SELECT key FROM users WHERE id = ANY($1) AND id < '~'
        UNION ALL SELECT w.user_key FROM unnest($2, $3, $4, $5) AS w (user_key, type, id, action) WHERE NOT EXISTS (
            SELECT 1 FROM subscriptions s WHERE s.user_key = w.user_key AND s.target_type = w.type
                AND s.target_id = w.id AND s.action = w.action)))
    ORDER BY user_key FOR UPDATE";

/// Those of the subscriptions `$1` to `$4` that are missing, of users who are not removed.
const MISSING: &str = "SELECT DISTINCT w.user_key, w.type, w.id, w.action
    FROM unnest($1, $2, $3, $4) AS w (user_key, type, id, action) JOIN inboxes i ON i.user_key = w.user_key
    WHERE NOT EXISTS (SELECT 1 FROM subscriptions s WHERE s.user_key = w.user_key AND s.target_type = w.type
        AND s.target_id = w.id AND s.action = w.action)";

/// `$1` ids.
const GROUPS: &str = "SELECT id, key, member_count FROM groups WHERE id = ANY($1) AND ended_at = 0
    ORDER BY key FOR SHARE";

/// Those of the users `$2` who are members of the groups `$1`.
const MEMBERS: &str = "SELECT w.group_id, w.user_id FROM unnest($1, $2) AS w (group_id, user_id)
    JOIN groups g ON g.id = w.group_id JOIN users u ON u.id = w.user_id AND u.id < '~'
    JOIN memberships m ON m.group_key = g.key AND m.user_key = u.key AND m.left_at = 0";

/// `$1` numbers. Their uses are written later.
const APPLICATIONS: &str = "SELECT id, user_key, last_used FROM gotify_applications
    WHERE id = ANY($1) AND NOT removed AND user_key IN (SELECT user_key FROM inboxes) ORDER BY id FOR NO KEY UPDATE";

/// The subscription that a draft asks to be there.
pub(super) fn subscription_of(draft: &Draft) -> Option<SubscriptionKey> {
    let (user, target) = (draft.subscribe?, draft.target.as_ref()?);
    Some((user.0, target.kind.clone(), target.id.clone(), draft.action.clone()))
}

type ReadRow = fn(&mut Facts, &Row) -> Result<(), Error>;

impl Facts {
    /// Locks and reads what publications need, after the statement `begin`, with which the time of the transaction is read.
    pub(super) async fn load(
        tx: &mut WriteTx<'_>,
        begin: &str,
        requests: &[Request],
        items: &[Item<'_>],
    ) -> Result<Self, Error> {
        let asked = Questions::of(requests, items);
        let (users, kinds, ids, actions) = &asked.subscriptions;
        let mut pipeline: Vec<(&str, Vec<&dyn Value>, ReadRow)> = Vec::new();
        if !asked.names.is_empty() {
            pipeline.push((LOCK_NAMES, vec![&asked.names], |_, _| Ok(())));
        }
        if !asked.keys.is_empty() {
            pipeline.push((answers::FIND, vec![&asked.tokens, &asked.keys], Self::read_replay));
        }
        if !asked.inboxes.is_empty() || !users.is_empty() {
            pipeline.push((INBOXES, vec![&asked.inboxes, users, kinds, ids, actions], Self::read_inbox));
        }
        if !users.is_empty() {
            pipeline.push((MISSING, vec![users, kinds, ids, actions], Self::read_missing));
        }
        // This runs after the inboxes were locked, so none of these users is removed any more.
        if !asked.users.is_empty() {
            pipeline.push((USERS, vec![&asked.users], Self::read_user));
        }
        if !asked.senders.is_empty() {
            pipeline.push((REMOVED, vec![&asked.senders], Self::read_removed));
        }
        if !asked.groups.is_empty() {
            pipeline.push((GROUPS, vec![&asked.groups], Self::read_group));
            pipeline.push((MEMBERS, vec![&asked.group_posts.0, &asked.group_posts.1], Self::read_member));
        }
        if !asked.applications.is_empty() {
            pipeline.push((APPLICATIONS, vec![&asked.applications], Self::read_application));
        }
        if !asked.named.is_empty() {
            pipeline.push((FIND, asked.named.values(), Self::read_named));
        }
        if !begin.is_empty() {
            // The clock is read after the locks, because they may have taken a wait for others.
            pipeline.push((NOW, vec![], Self::read_clock));
        }
        let statements: Vec<(&str, Values<'_>)> =
            pipeline.iter().map(|(sql, values, _)| (*sql, values.as_slice())).collect();
        let results = tx.pipeline_between(begin, &statements, "").await?;
        let mut facts = Self::default();
        for (rows, (_, _, read)) in results.iter().zip(&pipeline) {
            for row in rows {
                read(&mut facts, row)?;
            }
        }
        if let Some(micros) = facts.now {
            tx.read_clock(micros);
        }
        let kept = std::mem::take(&mut facts.kept).into_iter();
        facts.replays = kept.filter_map(|(key, kept)| Some((key, kept.unexpired(tx.clock())?))).collect();
        Ok(facts)
    }

    fn read_clock(&mut self, row: &Row) -> Result<(), Error> {
        self.now = Some(row.at(0)?);
        Ok(())
    }

    fn read_replay(&mut self, row: &Row) -> Result<(), Error> {
        self.kept.insert((row.at(0)?, row.at(1)?), StoredAnswer::from_row(row)?);
        Ok(())
    }

    fn read_inbox(&mut self, row: &Row) -> Result<(), Error> {
        self.inboxes.insert(row.at(0)?, row.stamp(1)?);
        Ok(())
    }

    fn read_missing(&mut self, row: &Row) -> Result<(), Error> {
        self.missing.insert((row.at(0)?, row.at(1)?, row.at(2)?, row.at(3)?));
        Ok(())
    }

    fn read_user(&mut self, row: &Row) -> Result<(), Error> {
        self.users.insert(row.at(0)?, KnownUser { key: UserKey(row.at(1)?), name: row.at(2)? });
        Ok(())
    }

    fn read_removed(&mut self, row: &Row) -> Result<(), Error> {
        self.removed.insert(row.at(0)?);
        Ok(())
    }

    fn read_group(&mut self, row: &Row) -> Result<(), Error> {
        self.groups.insert(row.at(0)?, KnownGroup { key: row.at(1)?, member_count: row.at(2)? });
        Ok(())
    }

    fn read_member(&mut self, row: &Row) -> Result<(), Error> {
        self.members.insert((row.at(0)?, row.at(1)?));
        Ok(())
    }

    fn read_application(&mut self, row: &Row) -> Result<(), Error> {
        self.applications.insert(row.at(0)?, (row.at(1)?, row.stamp(2)?));
        Ok(())
    }

    fn read_named(&mut self, row: &Row) -> Result<(), Error> {
        self.named.insert((row.at(0)?, row.at(1)?), super::names::from_row(row)?);
        Ok(())
    }

    /// What the name of a draft means to its publisher.
    pub(super) fn named(&self, draft: &Draft) -> Option<&Named> {
        let (topic, name) = name_of(draft)?;
        self.named.get(&(topic.to_owned(), name.to_owned()))
    }

    /// A user whose inbox is locked.
    pub(super) fn inbox_of(&self, id: &str) -> Option<UserKey> {
        let key = self.users.get(id)?.key;
        self.inboxes.contains_key(&key.0).then_some(key)
    }

    /// Why a draft can't be delivered, if it can't.
    pub(super) fn refusal(&self, draft: &Draft) -> Option<Error> {
        match &draft.audience {
            Audience::Everyone | Audience::Subscribers => None,
            _ if self.removed.contains(&draft.actor) => Some(Error::not_found("user")),
            Audience::User(to) => self.inbox_of(to).is_none().then(|| Error::not_found("user")),
            Audience::Group(id) if !self.groups.contains_key(id) => Some(Error::not_found("group")),
            Audience::Group(id) => {
                let is_member = self.members.contains(&(id.clone(), draft.actor.clone()))
                    && self.inbox_of(&draft.actor).is_some();
                (!is_member).then(super::only_members)
            }
        }
    }

    /// Why an application can't publish, if it can't.
    pub(super) fn refusal_of_application(&self, user: UserKey, application: i64) -> Option<Error> {
        let is_its = self.applications.get(&application).is_some_and(|(owner, _)| *owner == user.0);
        (!is_its).then(|| Error::not_found("application"))
    }
}
