//! Fan-in: adds to an inbox what announcements, subscriptions, follows and groups have yielded since the last time.
//! Nothing is written if there is nothing new, and nothing is added twice.

mod candidates;
mod search;

use std::collections::{BTreeMap, HashMap};

use rusqlite::Connection;
use tidings_model::{Catalog, Class, Kind, Stamp};
use tidings_store::domain::account::UserKey;
use tidings_store::domain::item::{Item, MarkTimes, RevisedIn};
use tidings_store::domain::topic::topic_of_view;
use tidings_store::{Bounds, Error};

use self::candidates::{Candidate, CandidateKind, Candidates, InboxOwner, candidates, owner};
use super::portions::{Budget, LongWrite, units_for};
use super::tables::items::ViewKey;
use super::tables::notifications::{self, Publication, Revision};
use super::tables::topics::settings;
use super::tables::{conversations, items, meta, preferences, read_marks, users};
use super::write_tx::WriteTx;

/// The candidates of an inbox, found in one snapshot and off the writer thread, to be added in portions.
pub(crate) struct FanIn {
    owner: InboxOwner,
    candidates: std::vec::IntoIter<Candidate>,
    /// The position of the inbox after all candidates were added; what is before it is never considered again.
    reached: Stamp,
    more: bool,
}

/// The number of rows that the next search of an inbox examines one by one.
#[cfg(test)]
pub(crate) fn rows_examined(conn: &Connection, user: UserKey) -> Result<i64, Error> {
    let bounds = Bounds::default();
    Ok(candidates(conn, &owner(conn, user)?, bounds.candidates, &bounds)?.examined)
}

/// Searches the candidates of an inbox; `None` if there is nothing worth a write.
pub(crate) fn prepare(conn: &Connection, user: UserKey, bounds: &Bounds) -> Result<Option<FanIn>, Error> {
    let owner = owner(conn, user)?;
    let found = candidates(conn, &owner, bounds.candidates + 1, bounds)?;
    if !found.is_worth_writing {
        return Ok(None);
    }
    let upto = meta::last_stamp(conn)?;
    let Candidates { found: mut candidates, horizon, .. } = found;
    let full = candidates.len() > bounds.candidates;
    candidates.truncate(bounds.candidates);
    let upto = horizon.unwrap_or(upto);
    let reached = if full { candidates.last().map_or(upto, |c| c.at) } else { upto };
    let more = full || horizon.is_some();
    Ok(Some(FanIn { owner, candidates: candidates.into_iter(), reached, more }))
}

/// Candidates that are few enough to be brought in together with something else.
const FEW: usize = 10;

impl FanIn {
    /// Whether it is all that there is, and little.
    pub(crate) fn is_little(&self) -> bool {
        !self.more && self.candidates.len() <= FEW
    }

    /// Whether another search would find more.
    pub(crate) fn has_more(&self) -> bool {
        self.more
    }
}

impl LongWrite for FanIn {
    fn first_units(&self) -> usize {
        units_for(self.candidates.len())
    }

    fn portion(&mut self, ctx: &mut WriteTx<'_>, budget: &mut Budget) -> Result<bool, Error> {
        let user = self.owner.key;
        if owner(ctx.tx, user)?.fanned_in_to != self.owner.fanned_in_to {
            // Another call of fan-in has advanced this inbox since the search; the search is repeated.
            self.more = true;
            return Ok(true);
        }
        let wanted = WantedActions::of(ctx, user)?;
        let mut known = KnownInbox::default();
        let mut passed = None;
        while !budget.is_spent()
            && let Some(candidate) = self.candidates.next()
        {
            passed = Some(candidate.at);
            budget.charge_writes(1);
            bring_in(ctx, &self.owner, candidate, &wanted, &mut known)?;
        }
        let done = self.candidates.len() == 0;
        let passed = if done { self.reached } else { passed.unwrap_or(self.owner.fanned_in_to) };
        users::set_fanned_in_to(ctx, user, passed)?;
        self.owner.fanned_in_to = passed;
        Ok(done)
    }
}

/// The user's preferences, and the catalog with the defaults and classes of actions.
struct WantedActions {
    preferences: BTreeMap<String, bool>,
    catalog: std::sync::Arc<Catalog>,
}

impl WantedActions {
    fn of(ctx: &mut WriteTx<'_>, user: UserKey) -> Result<Self, Error> {
        Ok(Self { preferences: preferences::get(ctx.tx, user)?, catalog: ctx.catalog()? })
    }

    fn is_wanted(&self, action: &str) -> bool {
        let default = || self.catalog.actions.get(action).is_none_or(|rule| rule.default);
        self.preferences.get(action).copied().unwrap_or_else(default)
    }

    fn is_auto(&self, kind: Kind, action: Option<&str>) -> bool {
        self.catalog.class(kind, action) == Class::Auto
    }
}

/// What one portion has read for an inbox.
#[derive(Default)]
struct KnownInbox {
    /// Read marks by kind and view.
    marks: HashMap<(i64, String), Option<Stamp>>,
    /// Whether the inbox's user may read what is about a target, by its view.
    readable: HashMap<String, bool>,
}

impl KnownInbox {
    fn mark(
        &mut self,
        ctx: &WriteTx<'_>,
        user: UserKey,
        kind: Kind,
        view: &str,
    ) -> Result<Option<Stamp>, Error> {
        let key = (kind.as_row(), view.to_owned());
        if let Some(mark) = self.marks.get(&key) {
            return Ok(*mark);
        }
        let mark = read_marks::get(ctx.tx, user, kind, view)?.map(|(mark, _)| mark);
        self.marks.insert(key, mark);
        Ok(mark)
    }

    /// Whether the owner of an inbox may read reminders of a view now: those of a topic may have readers.
    fn is_readable(&mut self, ctx: &WriteTx<'_>, owner: &InboxOwner, view: &str) -> Result<bool, Error> {
        let Some(topic) = topic_of_view(view) else { return Ok(true) };
        if let Some(known) = self.readable.get(view) {
            return Ok(*known);
        }
        let is_readable = settings::is_readable(ctx.tx, topic, &owner.id)?;
        self.readable.insert(view.to_owned(), is_readable);
        Ok(is_readable)
    }
}

fn bring_in(
    ctx: &mut WriteTx<'_>,
    owner: &InboxOwner,
    candidate: Candidate,
    wanted: &WantedActions,
    known: &mut KnownInbox,
) -> Result<(), Error> {
    let at = candidate.created_at;
    let Some(publication) = notifications::get(ctx.tx, at)? else { return Ok(()) };
    match candidate.kind {
        CandidateKind::Announcement => insert_item(ctx, owner, at, "all", &publication, wanted, known),
        CandidateKind::GroupMessage { view } => {
            insert_item(ctx, owner, at, &view, &publication, wanted, known)
        }
        CandidateKind::Reminder { action, view } => {
            if !wanted.is_wanted(&action) || !known.is_readable(ctx, owner, &view)? {
                return Ok(());
            }
            insert_item(ctx, owner, at, &view, &publication, wanted, known)
        }
        CandidateKind::Revised { action, view } => {
            let is_entitled = wanted.is_wanted(&action);
            if let Some(item) = items::get(ctx.tx, owner.key, at)? {
                revise(ctx, owner, item, &publication, is_entitled, wanted, known)
            } else if is_entitled && known.is_readable(ctx, owner, &view)? {
                insert_item(ctx, owner, at, &view, &publication, wanted, known)
            } else {
                Ok(())
            }
        }
        CandidateKind::Changed => match items::get(ctx.tx, owner.key, at)? {
            Some(item) => revise(ctx, owner, item, &publication, false, wanted, known),
            None => Ok(()),
        },
    }
}

/// Adds an item in the present state of its publication, unless that was deleted.
fn insert_item(
    ctx: &mut WriteTx<'_>,
    owner: &InboxOwner,
    created_at: Stamp,
    view: &str,
    publication: &Publication,
    wanted: &WantedActions,
    known: &mut KnownInbox,
) -> Result<(), Error> {
    let (kind, revisions) = (publication.kind, publication.revisions);
    if revisions.is_deleted() {
        return Ok(());
    }
    let stamp = ctx.next_stamp();
    let auto = wanted.is_auto(kind, Some(&publication.action));
    let (revised_at, edited_at) = revisions.of_item(kind);
    let item = Item {
        created_at,
        auto,
        // A topic is the actor of its publications, even if a user has the same id.
        own: kind != Kind::Reminder && publication.actor == owner.id,
        seen_at: None,
        read_at: revisions.is_cleared().then_some(stamp),
        archived_at: None,
        snoozed_until: None,
        deleted: false,
        mark: if auto { known.mark(ctx, owner.key, kind, view)? } else { None },
        mark_read_at: None,
        revised_at,
        edited_at,
        closed: revisions.is_closed,
        marked: MarkTimes::default(),
    };
    let view_key = ViewKey { kind, view: view.to_owned() };
    items::insert(ctx, owner.key, &view_key, &publication.action, &item, stamp)?;
    if kind == Kind::Message {
        conversations::message_arrived(ctx, owner.key, view, created_at)?;
    }
    Ok(())
}

/// Applies what a publisher did to an item that the inbox has. Who may not read its topic any more loses the item instead:
/// its former content is nowhere kept.
fn revise(
    ctx: &mut WriteTx<'_>,
    owner: &InboxOwner,
    (view_key, item): (ViewKey, Item),
    publication: &Publication,
    is_entitled: bool,
    wanted: &WantedActions,
    known: &mut KnownInbox,
) -> Result<(), Error> {
    let (user, kind) = (owner.key, view_key.kind);
    let mut revisions = publication.revisions;
    if kind == Kind::Reminder && !known.is_readable(ctx, owner, &view_key.view)? {
        revisions.last = Some(Revision::Delete);
    }
    let stamp = ctx.next_stamp();
    let auto = wanted.is_auto(kind, Some(&publication.action));
    let mark = read_marks::get(ctx.tx, user, kind, &view_key.view)?.map(|(mark, _)| mark);
    let after = item.revised(revisions, RevisedIn { stamp, kind, auto, mark, is_entitled });
    if after == item {
        return Ok(());
    }
    items::update(ctx, user, &after, stamp)?;
    if after.deleted && kind == Kind::Message {
        conversations::message_deleted(ctx, user, &view_key.view, item.created_at)?;
    }
    Ok(())
}
