//! Reads a page of a pull. Everything on it is in the order of this inbox's stamps: what others do gets a stamp of this
//! inbox when it is brought in, or, for how far they have read, under the lock of this inbox.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde_json::value::RawValue;
use tidings_model::wire::ViewMark;
use tidings_model::{Kind, Stamp, View};
use tokio_postgres::Row;

use super::row;
use crate::domain::account::UserKey;
use crate::domain::limits;
use crate::error::Error;
use crate::store::page::{self, PageBuilder, PullPage};
use crate::store::postgres::session::{Columns, Session, rows};

/// `$1` the user, `$2` the stamp after which the page begins, `$3` the most rows.
static ITEMS: LazyLock<String> = LazyLock::new(|| {
    let rows = format!(
        "SELECT {} FROM items i {} WHERE i.user_key = $1 AND i.stamp > $2 ORDER BY i.stamp LIMIT $3",
        row::COLUMNS,
        row::JOINS
    );
    row::page_of(&rows, "stamp")
});

const MARKS: &str = "SELECT kind, view, mark, stamp FROM read_marks WHERE user_key = $1 AND stamp > $2
    ORDER BY stamp LIMIT $3";

/// How far the others have read the user's conversations with one person.
const PEER_MARKS: &str = "SELECT u.id, p.mark, p.stamp FROM peer_marks p JOIN users u ON u.key = p.peer_key
    WHERE p.user_key = $1 AND p.stamp > $2 AND u.id < '~'
        AND EXISTS (SELECT 1 FROM conversations c WHERE c.user_key = $1 AND c.view = 'user:' || u.id)
    ORDER BY p.stamp LIMIT $3";

/// The newest changes of groups, the newest first.
const GROUPS: &str = "SELECT g.id, c.stamp FROM changed_groups c JOIN groups g ON g.key = c.group_key
    WHERE c.user_key = $1 AND c.stamp > $2 AND g.id < '~' ORDER BY c.stamp DESC LIMIT $3";

const HISTORY: &str = "SELECT m.epoch, m.forgotten_before FROM meta m
    WHERE EXISTS (SELECT 1 FROM users u WHERE u.key = $1 AND u.id < '~')";

/// A page of a pull: items and read marks that are new or changed after a stamp, in stamp order. Marks that
/// make its items read and have their place on a later page come in a list of their own; so do the marks of others, and
/// groups that changed. `db` has one snapshot.
pub(super) async fn sync(db: &Session, user: UserKey, since: Stamp, limit: usize) -> Result<PullPage, Error> {
    let (after, most_items, most_marks) = (since.as_micros(), rows(limit + 1), rows(limits::SYNC_LIMIT + 1));
    // Who pulls for the first time asks for each group as it comes.
    let most_groups = if since == Stamp::ZERO { 0 } else { rows(limits::CHANGED_GROUPS) };
    let found = db
        .flight(&[
            (&ITEMS, &[&user.0, &after, &most_items]),
            (MARKS, &[&user.0, &after, &most_marks]),
            (PEER_MARKS, &[&user.0, &after, &most_marks]),
            (GROUPS, &[&user.0, &after, &most_groups]),
            (HISTORY, &[&user.0]),
        ])
        .await?;
    let [items, marks, peer_marks, groups, history] = found.as_slice() else {
        return Err(Error::not_found("user"));
    };
    let history = history.first().ok_or_else(|| Error::not_found("user"))?;
    let Changed { mut items, mut more, reading_marks } = changed(items, limit)?;
    let mut upto = if more { items.last().map_or(since, |(stamp, _)| *stamp) } else { Stamp::MAX };
    let (mut marks, marks_full) = fitting(marks, own_mark, upto, MARKS_BYTES)?;
    if marks_full {
        // The page ends at its last read mark, because items and marks share one order.
        upto = marks.last().map_or(upto, |m| m.stamp);
        more = true;
    }
    let (peer_marks, peers_full) = fitting(peer_marks, peer_mark, upto, PEER_MARKS_BYTES)?;
    if peers_full {
        upto = peer_marks.last().map_or(upto, |m| m.stamp);
        more = true;
    }
    items.retain(|(stamp, _)| *stamp <= upto);
    marks.retain(|m| m.stamp <= upto);
    let groups = changed_groups(groups, upto)?;
    let last_marks = [marks.last(), peer_marks.last()].into_iter().flatten().map(|m| m.stamp);
    let newest = last_marks
        .chain(items.last().map(|(stamp, _)| *stamp))
        .chain(groups.last().map(|(_, stamp)| *stamp))
        .max()
        .unwrap_or(since);
    let forgotten = history.stamp(1)?;
    Ok(PullPage {
        items: items.into_iter().map(|(_, written)| written).collect(),
        marks,
        later_marks: reading_marks.into_values().filter(|mark| mark.stamp > upto).collect(),
        peer_marks,
        groups: groups.into_iter().map(|(id, _)| id).collect(),
        next: newest.max(since),
        more,
        epoch: history.at(0)?,
        forgotten_before: (forgotten > Stamp::ZERO).then_some(forgotten),
        remaining: None,
    })
}

/// The stamp of an item, and the item serialized as in the response.
type StampedItem = (Stamp, Box<RawValue>);

/// The items of a page.
struct Changed {
    /// In stamp order, each serialized once.
    items: Vec<StampedItem>,
    /// Whether there are more after them.
    more: bool,
    /// The marks of views that make them read, by view.
    reading_marks: BTreeMap<String, ViewMark>,
}

/// A page of items in stamp order, from rows of which there are more than fit where there is another page.
fn changed(rows: &[Row], limit: usize) -> Result<Changed, Error> {
    let (mut page, mut stamps) =
        (PageBuilder::with_max_bytes(limit, limits::PAGE_BYTES - limits::PAGE_MARKS_BYTES), Vec::new());
    let mut reading_marks = BTreeMap::new();
    for row in rows {
        let item = row::notification(row)?;
        if !page.push(&item)? {
            break;
        }
        stamps.push(item.stamp);
        if let Some(mark) = row::reading_mark(row, &item)? {
            let size = page::mark_size(&mark);
            if reading_marks.insert(mark.view.to_string(), mark).is_none() {
                page.charge(size);
            }
        }
    }
    let more = page.is_full();
    Ok(Changed { items: stamps.into_iter().zip(page.into_elements()).collect(), more, reading_marks })
}

/// The bytes of a page for the user's own marks; a quarter is left for those of others, and one for the ids of groups.
const MARKS_BYTES: usize = limits::PAGE_MARKS_BYTES / 2;
const PEER_MARKS_BYTES: usize = limits::PAGE_MARKS_BYTES / 4;

/// The marks up to a stamp that fit on a page, which always takes the first, and whether some did not.
fn fitting(
    rows: &[Row],
    mark: impl Fn(&Row) -> Result<ViewMark, Error>,
    upto: Stamp,
    most: usize,
) -> Result<(Vec<ViewMark>, bool), Error> {
    let (mut found, mut size) = (Vec::new(), 0);
    for row in rows {
        let mark = mark(row)?;
        if mark.stamp > upto {
            break;
        }
        size += page::mark_size(&mark);
        if found.len() >= limits::SYNC_LIMIT || (size > most && !found.is_empty()) {
            return Ok((found, true));
        }
        found.push(mark);
    }
    Ok((found, false))
}

fn own_mark(row: &Row) -> Result<ViewMark, Error> {
    let (kind, id) = (Kind::from_row(i64::from(row.at::<i16>(0)?)), row.at(1)?);
    let view = match kind {
        Some(Kind::Announcement) => View::Announcements,
        Some(Kind::Message) => View::Conversation(id),
        Some(Kind::Reminder) | None => View::Target(id),
    };
    Ok(ViewMark { view, through: row.stamp(2)?, stamp: row.stamp(3)? })
}

fn peer_mark(row: &Row) -> Result<ViewMark, Error> {
    let peer: &str = row.at(0)?;
    let view = View::Conversation(format!("user:{peer}"));
    Ok(ViewMark { view, through: row.stamp(1)?, stamp: row.stamp(2)? })
}

/// The ids and stamps of changed groups up to a stamp, in the order of the stamps.
fn changed_groups(rows: &[Row], upto: Stamp) -> Result<Vec<(String, Stamp)>, Error> {
    let mut found = Vec::with_capacity(rows.len());
    for row in rows.iter().rev() {
        found.push((row.at(0)?, row.stamp(1)?));
    }
    found.retain(|(_, stamp)| *stamp <= upto);
    Ok(found)
}

/// The number of items that are new or changed after a stamp, at most 100,000; only the index is read.
pub(super) async fn changes_after(db: &Session, user: UserKey, since: Stamp) -> Result<u64, Error> {
    let row = db
        .query_one(
            "SELECT count(*) FROM (SELECT 1 FROM items WHERE user_key = $1 AND stamp > $2 LIMIT 100000) x",
            &[&user.0, &since.as_micros()],
        )
        .await?;
    Ok(u64::try_from(row.at::<i64>(0)?).unwrap_or_default())
}
