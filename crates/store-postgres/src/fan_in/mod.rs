//! Fan-in: adds to an inbox what announcements, subscriptions, follows and groups have yielded since the last time, and
//! which of its groups have changed. Nothing is written if there is nothing new, and nothing is added twice.
//!
//! What is brought in gets stamps of the inbox alone. The candidates are found in the snapshot in which the newest
//! stamp of the log was read, so that none before it is missed. Then the position of the inbox moves there.
//!
//! Groups that changed come the same way. Receipts, and how far the other has read, are written under the lock of
//! the inbox that hears of them.

mod arrivals;
mod candidates;

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::Arc;

use tidings_model::{Catalog, Class, Kind, Stamp};
use tidings_store::domain::account::UserKey;
use tidings_store::domain::item::{Item, MarkTimes, RevisedIn, Revision, Revisions};
use tidings_store::{DeliveryStore, Error};
use tokio_postgres::Row;

use self::arrivals::Arrivals;
use self::candidates::CandidateSearch;
use super::PostgresStore;
use super::groups::deliveries;
use super::publishing::questions;
use super::read_state::conversations_lost_messages;
use super::read_state::items::Changes;
use super::session::{Columns, Values};
use super::tx::{WriteTx, in_transaction, reading};

/// Adds one page to an inbox. True while there is more. Nothing comes in while no stamps may be handed out: the stored items
/// can be read.
pub(super) async fn fan_in(store: &PostgresStore, user: UserKey) -> Result<bool, Error> {
    if store.withholds_stamps() {
        return Ok(false);
    }
    let bounds = store.bounds;
    let (due, any_unreported) = loop {
        let now = store.clock.now();
        let ((ends_question, due), any_unreported) = reading!(store, |db| {
            let unreported = Box::pin(deliveries::any_unreported(store, db, user));
            tokio::try_join!(candidates::due(db, user, &bounds, now), unreported)
        })?;
        // A question ends at its very moment, whichever request comes first.
        if !ends_question || !Box::pin(questions::end_for_reader(store)).await? {
            break (due, any_unreported);
        }
    };
    if any_unreported {
        match store.tell_deliveries(user).await {
            Err(e) if !e.is_of_disk() => return Err(e),
            _ => {}
        }
    }
    let Some(search) = due else { return Ok(false) };
    let most = store.bounds.portion_rows;
    match in_transaction!(store, |tx| bring_in(tx, user, search, most).await) {
        // Nothing new is stored, but the stored items can be read.
        Err(e) if e.is_of_disk() => Ok(false),
        more => {
            if more.is_ok() {
                store.room.note_room();
            }
            more
        }
    }
}

/// Whether it takes only a short look to know that nothing is due for an inbox after a position up to which nothing
/// was.
pub(super) async fn nothing_due(store: &PostgresStore, user: UserKey, after: Stamp) -> Result<bool, Error> {
    let (bounds, now) = (store.bounds, store.clock.now());
    reading!(store, |db| candidates::nothing_due(db, user, after, &bounds, now).await)
}

const LOCK: &str = "SELECT last FROM inboxes WHERE user_key = $1 FOR UPDATE";

const PREFERENCES: &str = "SELECT action, wanted FROM preferences WHERE user_key = $1";

/// `$1` the user, `$2` the newest stamp, `$3` the position.
const MOVE_ON: &str = "UPDATE inboxes SET last = $2, pulled_to = $3 WHERE user_key = $1";

/// Adds at most this many candidates to an inbox; true if there are more.
async fn bring_in(
    tx: &mut WriteTx<'_>,
    user: UserKey,
    search: CandidateSearch,
    most: usize,
) -> Result<bool, Error> {
    let (upto, limit) = (search.upto(), CandidateSearch::page(most));
    let found: Values<'_> = &[&user.0, &upto, &limit];
    let of_user: Values<'_> = &[&user.0];
    let found = tx.pipeline(&[(LOCK, of_user), (search.sql(), found), (PREFERENCES, of_user)]).await?;
    let [inbox, candidates, preferences] = found.as_slice() else { return Err(Error::not_found("user")) };
    let (Some(inbox), Some(first)) = (inbox.first(), candidates.first()) else {
        return Err(Error::not_found("user"));
    };
    let (upto, newest) = (first.stamp(0)?, first.stamp(1)?);
    let last = inbox.stamp(0)?;
    // The time is not before that of the newest creation: if clocks differ, it would otherwise precede it.
    let stamps = Stamps { last, now: tx.now.max(newest) };
    let wanted = WantedActions::of(preferences, tx.catalog().await?)?;
    let mut page = FanInPage {
        user,
        wanted,
        stamps,
        taken: HashSet::new(),
        arrivals: Arrivals::default(),
        changes: Changes::default(),
        shortened: BTreeSet::new(),
    };
    let (mut count, mut reached) = (0, upto);
    for row in candidates {
        let Some(sort) = row.at::<Option<i32>>(2)? else { break };
        count += 1;
        reached = row.stamp(3)?;
        page.take(sort, row)?;
    }
    let is_full = count >= most;
    let reached = if is_full { reached } else { upto };
    page.write(tx, reached).await?;
    if page.stamps.last != last {
        tx.note_stamps(page.stamps.last, 1)?;
    }
    Ok(is_full || upto < newest)
}

/// The stamps of an inbox that is locked.
struct Stamps {
    last: Stamp,
    now: Stamp,
}

impl Stamps {
    fn next(&mut self) -> Stamp {
        self.last = self.last.next(self.now);
        self.last
    }
}

/// The user's preferences, and the catalog with the defaults and classes of actions.
struct WantedActions {
    preferences: BTreeMap<String, bool>,
    catalog: Arc<Catalog>,
}

impl WantedActions {
    fn of(preferences: &[Row], catalog: Arc<Catalog>) -> Result<Self, Error> {
        let mut set = BTreeMap::new();
        for row in preferences {
            set.insert(row.at(0)?, row.at(1)?);
        }
        Ok(Self { preferences: set, catalog })
    }

    fn is_wanted(&self, action: &str) -> bool {
        let default = || self.catalog.actions.get(action).is_none_or(|rule| rule.default);
        self.preferences.get(action).copied().unwrap_or_else(default)
    }

    fn is_auto(&self, kind: Kind, action: &str) -> bool {
        self.catalog.class(kind, Some(action)) == Class::Auto
    }
}

/// What a page changes in an inbox.
struct FanInPage {
    user: UserKey,
    wanted: WantedActions,
    stamps: Stamps,
    /// The candidates that it has taken, by creation. A notification that changed twice is a candidate twice, and is
    /// taken as it is now.
    taken: HashSet<Stamp>,
    arrivals: Arrivals,
    changes: Changes,
    /// Conversations that have lost a message.
    shortened: BTreeSet<String>,
}

/// The sort of candidates that were cleared or deleted.
const CHANGED: i32 = 4;
/// The sort of candidates that are no notifications.
const CHANGED_GROUP: i32 = 5;

impl FanInPage {
    /// Adds a candidate of a row of the search.
    fn take(&mut self, sort: i32, row: &Row) -> Result<(), Error> {
        if sort == CHANGED_GROUP {
            self.arrivals.group_changed(row.at(4)?, self.stamps.next());
            return Ok(());
        }
        let (Some(created_at), Some(kind)) = (row.time(5)?, row.at::<Option<i16>>(6)?) else { return Ok(()) };
        if !self.taken.insert(created_at) {
            return Ok(());
        }
        let kind = Kind::from_row(i64::from(kind)).unwrap_or(Kind::Reminder);
        let action: String = row.at(8)?;
        let mut revisions = Revisions {
            content_at: row.stamp_or_none(11)?,
            last: Revision::from_row(i64::from(row.at::<i16>(12)?)),
            is_closed: row.at(24)?,
        };
        // Of a topic that has readers, and the inbox's user is none of them: its former content is nowhere kept.
        if row.at(21)? {
            revisions.last = Some(Revision::Delete);
        }
        let is_wanted = kind != Kind::Reminder || self.wanted.is_wanted(&action);
        let inbox = RevisedIn {
            stamp: self.stamps.last.next(self.stamps.now),
            kind,
            auto: self.wanted.is_auto(kind, &action),
            mark: row.time(10)?,
            is_entitled: is_wanted && row.at(23)?,
        };
        if let Some(item) = item(row, created_at, inbox.mark)? {
            let after = item.revised(revisions, inbox);
            if after != item {
                if after.deleted && kind == Kind::Message {
                    self.shortened.insert(row.at(9)?);
                }
                self.changes.push(&after, self.stamps.next());
            }
            return Ok(());
        }
        let is_new = sort != CHANGED && is_wanted && !revisions.is_deleted();
        if !is_new {
            return Ok(());
        }
        let (stamp, (revised_at, edited_at)) = (self.stamps.next(), revisions.of_item(kind));
        let item = Item {
            created_at,
            auto: inbox.auto,
            // A topic is the actor of its publications, even if a user has the same id.
            own: kind != Kind::Reminder && row.at(7)?,
            seen_at: None,
            read_at: revisions.is_cleared().then_some(stamp),
            archived_at: None,
            snoozed_until: None,
            deleted: false,
            mark: if inbox.auto { inbox.mark } else { None },
            mark_read_at: None,
            revised_at,
            edited_at,
            closed: revisions.is_closed,
            marked: MarkTimes::default(),
        };
        self.arrivals.push(kind, row.at(9)?, action, &item, stamp);
        Ok(())
    }

    /// Writes it; from now on the inbox is at this position.
    async fn write(&self, tx: &WriteTx<'_>, reached: Stamp) -> Result<(), Error> {
        self.arrivals.write(tx, self.user).await?;
        self.changes.write(tx, self.user).await?;
        let shortened: Vec<&str> = self.shortened.iter().map(String::as_str).collect();
        conversations_lost_messages(tx, self.user, &shortened).await?;
        let (last, reached) = (self.stamps.last.as_micros(), reached.as_micros());
        tx.execute(MOVE_ON, &[&self.user.0, &last, &reached]).await?;
        Ok(())
    }
}

/// The item of a row that the inbox has already, with the read mark of its view.
fn item(row: &Row, created_at: Stamp, mark: Option<Stamp>) -> Result<Option<Item>, Error> {
    let Some(auto) = row.at::<Option<bool>>(13)? else { return Ok(None) };
    Ok(Some(Item {
        created_at,
        auto,
        own: row.at(14)?,
        seen_at: row.time(15)?,
        read_at: row.time(16)?,
        archived_at: row.time(17)?,
        snoozed_until: row.time(18)?,
        deleted: row.at(19)?,
        mark: if auto { mark } else { None },
        mark_read_at: None,
        revised_at: row.stamp_or_none(20)?,
        edited_at: row.stamp_or_none(22)?,
        closed: row.at(25)?,
        // They stay as the inbox has them.
        marked: MarkTimes::default(),
    }))
}
