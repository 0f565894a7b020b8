//! Brings into an inbox what announcements, subscriptions, follows and groups yield since the last time. Refuses to
//! write where there is nothing, and to bring anything twice.

mod candidates;

use std::collections::{BTreeMap, HashMap};

use rusqlite::{Connection, OptionalExtension, params};
use tidings_model::{Catalog, Class, Kind, Stamp};

use self::candidates::{Candidate, Found, Reader, What, candidates, reader};
use super::portions::{Budget, LongChange, units_for};
use super::sequences::Revision;
use super::work::Work;
use crate::domain::account::UserKey;
use crate::domain::item::Item;
use crate::error::Error;

/// At most so many are looked for at once, and then brought in by one portion after the other.
const PAGE: usize = 5_000;

/// What was found for an inbox, in one snapshot and off the writer thread.
pub(super) struct Waiting {
    reader: Reader,
    candidates: std::vec::IntoIter<Candidate>,
    /// What lies up to here is passed for good once the candidates are in, wanted or not.
    reached: Stamp,
    more: bool,
}

/// How much the next read of an inbox looks at one by one.
#[cfg(test)]
pub(super) fn looked_at(conn: &Connection, user: UserKey) -> Result<i64, Error> {
    Ok(candidates(conn, &reader(conn, user)?, PAGE)?.looked)
}

/// Looks for what there is to bring in; none where nothing is worth a write.
pub(super) fn find(conn: &Connection, user: UserKey) -> Result<Option<Waiting>, Error> {
    let reader = reader(conn, user)?;
    if !candidates(conn, &reader, 1)?.is_worth_a_write() {
        return Ok(None);
    }
    let upto = super::upkeep::head(conn)?.last_stamp;
    let found = candidates(conn, &reader, PAGE + 1)?;
    if !found.is_worth_a_write() {
        return Ok(None);
    }
    let Found { mut candidates, horizon, .. } = found;
    let full = candidates.len() > PAGE;
    candidates.truncate(PAGE);
    let upto = horizon.unwrap_or(upto);
    let reached = if full { candidates.last().map_or(upto, |c| c.at) } else { upto };
    let more = full || horizon.is_some();
    Ok(Some(Waiting { reader, candidates: candidates.into_iter(), reached, more }))
}

impl Waiting {
    /// Whether there is more to look for.
    pub(super) fn is_there_more(&self) -> bool {
        self.more
    }
}

impl LongChange for Waiting {
    fn begins_with(&self) -> usize {
        units_for(self.candidates.len())
    }

    fn portion(&mut self, work: &mut Work<'_>, budget: &mut Budget) -> Result<bool, Error> {
        let user = self.reader.key;
        if reader(work.tx, user)?.pulled_to != self.reader.pulled_to {
            // Another read of this inbox was faster.
            self.more = true;
            return Ok(true);
        }
        let wants = Wants::of(work, user)?;
        let mut marks = Marks::default();
        let mut passed = None;
        while !budget.is_spent()
            && let Some(candidate) = self.candidates.next()
        {
            passed = Some(candidate.at);
            budget.wrote(1);
            take(work, &self.reader, candidate, &wants, &mut marks)?;
        }
        let done = self.candidates.len() == 0;
        let passed = if done { self.reached } else { passed.unwrap_or(self.reader.pulled_to) };
        work.tx
            .prepare_cached("UPDATE users SET pulled_to = ?2 WHERE key = ?1")?
            .execute(params![user.0, passed.as_micros()])?;
        self.reader.pulled_to = passed;
        Ok(done)
    }
}

/// What a user wants to hear of, and the catalog that says how.
struct Wants {
    set: BTreeMap<String, bool>,
    catalog: std::sync::Arc<Catalog>,
}

impl Wants {
    fn of(work: &mut Work<'_>, user: UserKey) -> Result<Self, Error> {
        Ok(Self { set: super::subscriptions::preferences(work.tx, user)?, catalog: work.catalog()? })
    }

    fn action(&self, action: &str) -> bool {
        let default = || self.catalog.actions.get(action).is_none_or(|rule| rule.default);
        self.set.get(action).copied().unwrap_or_else(default)
    }

    fn auto(&self, kind: Kind, action: Option<&str>) -> bool {
        self.catalog.class(kind, action) == Class::Auto
    }
}

/// The marks of the views that were asked for.
#[derive(Default)]
struct Marks(HashMap<(i64, String), Option<Stamp>>);

impl Marks {
    fn of(&mut self, work: &Work<'_>, user: UserKey, kind: Kind, view: &str) -> Result<Option<Stamp>, Error> {
        let key = (kind.as_row(), view.to_owned());
        if let Some(mark) = self.0.get(&key) {
            return Ok(*mark);
        }
        let mark = super::marking::mark(work.tx, user, kind, view)?.map(|(mark, _)| mark);
        self.0.insert(key, mark);
        Ok(mark)
    }
}

/// What an item takes from its publication.
struct Publication {
    actor: String,
    action: String,
    /// When it was last revised, and how.
    revision: Option<(Stamp, Revision)>,
}

/// None where it was forgotten meanwhile.
fn publication(work: &Work<'_>, created_at: Stamp) -> Result<Option<Publication>, Error> {
    Ok(work
        .tx
        .prepare_cached(
            "SELECT actor_id, action, revised_at, revision FROM notifications WHERE created_at = ?1",
        )?
        .query_row([created_at.as_micros()], |r| {
            let at = Stamp::from_micros(r.get(2)?);
            let revision = Revision::from_row(r.get(3)?).map(|revision| (at, revision));
            Ok(Publication { actor: r.get(0)?, action: r.get(1)?, revision })
        })
        .optional()?)
}

impl Publication {
    fn is(&self, wanted: Revision) -> bool {
        self.revision.is_some_and(|(_, revision)| revision == wanted)
    }

    /// The stamp of its new content, where the last revision was that.
    fn revised_at(&self) -> Option<Stamp> {
        self.revision.filter(|(_, revision)| *revision == Revision::Content).map(|(at, _)| at)
    }
}

fn take(
    work: &mut Work<'_>,
    reader: &Reader,
    candidate: Candidate,
    wants: &Wants,
    marks: &mut Marks,
) -> Result<(), Error> {
    let at = candidate.created_at;
    let Some(publication) = publication(work, at)? else { return Ok(()) };
    match candidate.what {
        What::Announcement => put(work, reader, at, Kind::Announcement, "all", &publication, wants, marks),
        What::GroupMessage { view } => {
            put(work, reader, at, Kind::Message, &view, &publication, wants, marks)
        }
        What::Reminder { action, view } => {
            if !wants.action(&action) || publication.is(Revision::Delete) {
                return Ok(());
            }
            put(work, reader, at, Kind::Reminder, &view, &publication, wants, marks)
        }
        What::Revised => revise(work, reader.key, at, &publication, wants),
    }
}

#[allow(clippy::too_many_arguments)]
fn put(
    work: &mut Work<'_>,
    reader: &Reader,
    created_at: Stamp,
    kind: Kind,
    view: &str,
    publication: &Publication,
    wants: &Wants,
    marks: &mut Marks,
) -> Result<(), Error> {
    let stamp = work.stamp();
    let auto = wants.auto(kind, Some(&publication.action));
    let item = Item {
        created_at,
        auto,
        // A topic is the actor of what is published there, whoever has its name.
        own: kind != Kind::Reminder && publication.actor == reader.id,
        seen_at: None,
        read_at: publication.is(Revision::Clear).then_some(stamp),
        archived_at: None,
        snoozed_until: None,
        deleted: false,
        mark: if auto { marks.of(work, reader.key, kind, view)? } else { None },
        revised_at: publication.revised_at(),
    };
    work.tx
        .prepare_cached(
            "INSERT OR IGNORE INTO items (user, created_at, stamp, version, kind, view, auto, own, unread, read_at,
                 revised_at, action)
             VALUES (?1, ?2, ?3, 1, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
        )?
        .execute(params![
            reader.key.0,
            created_at.as_micros(),
            stamp.as_micros(),
            kind.as_row(),
            view,
            auto,
            item.own,
            item.standing().as_row(),
            item.read_at.map(Stamp::as_micros),
            item.revised_at.map_or(0, Stamp::as_micros),
            if kind == Kind::Reminder { publication.action.as_str() } else { "" },
        ])?;
    if kind == Kind::Message {
        super::conversations::came(work, reader.key, view, created_at)?;
    }
    Ok(())
}

/// What its sender did to a publication that the inbox has already.
fn revise(
    work: &mut Work<'_>,
    user: UserKey,
    created_at: Stamp,
    publication: &Publication,
    wants: &Wants,
) -> Result<(), Error> {
    let Some((place, item)) = super::ops::item(work.tx, user, created_at)? else { return Ok(()) };
    let Some((at, revision)) = publication.revision else { return Ok(()) };
    let stamp = work.stamp();
    let after = match revision {
        // It came with this content.
        Revision::Content if item.revised_at == Some(at) => item,
        Revision::Content => Item {
            read_at: None,
            archived_at: None,
            snoozed_until: None,
            deleted: false,
            auto: wants.auto(place.kind, Some(&publication.action)),
            mark: super::marking::mark(work.tx, user, place.kind, &place.view)?.map(|(mark, _)| mark),
            revised_at: Some(at),
            ..item
        },
        Revision::Clear => Item { read_at: item.read_at.or(Some(stamp)), ..item },
        Revision::Delete => Item { deleted: true, ..item },
    };
    if after == item {
        return Ok(());
    }
    super::ops::write(work, user, &after, stamp)
}
