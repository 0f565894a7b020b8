//! Brings into an inbox what announcements, subscriptions, follows and groups yield since the last time. Refuses to
//! write where there is nothing, and to bring anything twice.

mod candidates;

use std::collections::{BTreeMap, HashMap};

use rusqlite::{Connection, params};
use tidings_model::{Catalog, Class, Kind, Stamp};

use self::candidates::{Candidate, Found, Reader, What, candidates, reader};
use super::sequences::Revision;
use super::work::Work;
use crate::domain::account::UserKey;
use crate::domain::item::Item;
use crate::error::Error;

/// At most so many are brought in by one transaction, so that a long absence does not hold up the others.
const PAGE: usize = 5_000;
/// Whether there is anything for a change to do. Reads only, and stops at the first thing found.
pub(super) fn is_due(conn: &Connection, user: UserKey) -> Result<bool, Error> {
    let reader = reader(conn, user)?;
    Ok(candidates(conn, &reader, 1)?.is_worth_a_write())
}

/// Brings in a page. True while there is more.
pub(super) fn bring_in(work: &mut Work<'_>, user: UserKey) -> Result<bool, Error> {
    let reader = reader(work.tx, user)?;
    let upto = work.last();
    let found = candidates(work.tx, &reader, PAGE + 1)?;
    if !found.is_worth_a_write() {
        return Ok(false);
    }
    let Found { mut candidates, horizon, .. } = found;
    let full = candidates.len() > PAGE;
    candidates.truncate(PAGE);
    let wants = Wants::of(work, user)?;
    let mut marks = Marks::default();
    // What is passed now is passed for good, wanted or not.
    let reached = horizon.unwrap_or(upto);
    let passed = if full { candidates.last().map_or(reached, |c| c.at) } else { reached };
    for candidate in candidates {
        take(work, &reader, candidate, &wants, &mut marks)?;
    }
    work.tx
        .prepare_cached("UPDATE users SET pulled_to = ?2 WHERE key = ?1")?
        .execute(params![user.0, passed.as_micros()])?;
    Ok(full || horizon.is_some())
}

/// What a user wants to hear of, and the catalog that says how.
struct Wants {
    set: BTreeMap<String, bool>,
    catalog: std::sync::Arc<Catalog>,
}

impl Wants {
    fn of(work: &Work<'_>, user: UserKey) -> Result<Self, Error> {
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

fn take(
    work: &mut Work<'_>,
    reader: &Reader,
    candidate: Candidate,
    wants: &Wants,
    marks: &mut Marks,
) -> Result<(), Error> {
    let at = candidate.created_at;
    match candidate.what {
        What::Announcement => put(work, reader.key, at, Kind::Announcement, "all", true, None, marks),
        What::GroupMessage { view } => put(work, reader.key, at, Kind::Message, &view, true, None, marks),
        What::Reminder { action, view, revision } => {
            if !wants.action(&action) || revision == Some(Revision::Delete) {
                return Ok(());
            }
            let auto = wants.auto(Kind::Reminder, Some(&action));
            put(work, reader.key, at, Kind::Reminder, &view, auto, revision, marks)
        }
        What::Revised(revision) => revise(work, reader.key, at, revision),
    }
}

#[allow(clippy::too_many_arguments)]
fn put(
    work: &mut Work<'_>,
    user: UserKey,
    created_at: Stamp,
    kind: Kind,
    view: &str,
    auto: bool,
    revision: Option<Revision>,
    marks: &mut Marks,
) -> Result<(), Error> {
    let stamp = work.stamp();
    let item = Item {
        created_at,
        auto,
        own: false,
        seen_at: None,
        read_at: (revision == Some(Revision::Clear)).then_some(stamp),
        archived_at: None,
        snoozed_until: None,
        deleted: false,
        mark: if auto { marks.of(work, user, kind, view)? } else { None },
    };
    work.tx
        .prepare_cached(
            "INSERT OR IGNORE INTO items (user, created_at, stamp, version, kind, view, auto, own, unread, read_at)
             VALUES (?1, ?2, ?3, 1, ?4, ?5, ?6, 0, ?7, ?8)",
        )?
        .execute(params![
            user.0,
            created_at.as_micros(),
            stamp.as_micros(),
            kind.as_row(),
            view,
            auto,
            item.standing().as_row(),
            item.read_at.map(Stamp::as_micros),
        ])?;
    Ok(())
}

/// What its sender did to a publication that the inbox has already.
fn revise(work: &mut Work<'_>, user: UserKey, created_at: Stamp, revision: Revision) -> Result<(), Error> {
    let Some((_, item)) = super::ops::item(work.tx, user, created_at)? else { return Ok(()) };
    let stamp = work.stamp();
    let after = match revision {
        Revision::Content => Item {
            read_at: None,
            archived_at: None,
            snoozed_until: None,
            deleted: false,
            // Where the mark of its view lies ahead of the item, it can't say that the content is new: the item then
            // is read by itself alone.
            auto: item.auto && item.mark.is_none_or(|mark| mark < created_at),
            ..item
        },
        Revision::Clear => Item { read_at: item.read_at.or(Some(stamp)), ..item },
        Revision::Delete => Item { deleted: true, ..item },
    };
    super::ops::write(work, user, &after, stamp)
}
