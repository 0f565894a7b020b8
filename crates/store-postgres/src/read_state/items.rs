//! Items of an inbox as the rules of operations see them: read by msgid or creation time, and written back.

use tidings_model::{Kind, MsgId, Stamp};
use tidings_store::Error;
use tidings_store::domain::account::UserKey;
use tidings_store::domain::item::{Item, MarkTimes};
use tokio_postgres::Row;

use super::ViewKey;
use crate::partitions::earliest;
use crate::session::{Columns, Session};

/// An item, with the view that it belongs to.
pub(crate) struct Loaded {
    pub(crate) msgid: MsgId,
    pub(crate) view: ViewKey,
    pub(crate) item: Item,
}

/// The columns of a loaded item: of items `i`, their notification `n` and their view's read mark `v`, which is looked up
/// for each.
macro_rules! loaded {
    ($from:literal) => {
        concat!(
            "SELECT n.msgid, i.kind, i.view, i.created_at, i.auto, i.own, i.seen_at, i.read_at, i.archived_at,
                i.snoozed_until, i.deleted, v.mark, i.revised_at, i.edited_at, i.closed,
                i.read_marked_at, i.archive_marked_at, i.snooze_marked_at, v.read_marked_at FROM ",
            $from,
            " LEFT JOIN LATERAL (SELECT mark, read_marked_at FROM read_marks WHERE i.auto AND user_key = $1 AND kind = i.kind
                AND view = i.view LIMIT 1) v ON true ORDER BY i.created_at"
        )
    };
}

/// `$1` the user, `$2` the msgids, `$3` a time that is not after their creation.
const BY_MSGID: &str = loaded!(
    "(SELECT msgid, created_at FROM notifications WHERE msgid = ANY($2) AND created_at >= $3) n
        CROSS JOIN LATERAL (SELECT * FROM items WHERE user_key = $1 AND created_at = n.created_at LIMIT 1) i"
);

/// `$1` the user, `$2` the times of creation.
const BY_TIME: &str = loaded!(
    "unnest($2::bigint[]) t (created_at)
        CROSS JOIN LATERAL (SELECT * FROM items WHERE user_key = $1 AND created_at = t.created_at LIMIT 1) i
        CROSS JOIN LATERAL (SELECT msgid FROM notifications WHERE created_at = t.created_at LIMIT 1) n"
);

/// The items of an inbox that have these msgids.
pub(crate) async fn with_msgids(db: &Session, user: UserKey, msgids: &[&str]) -> Result<Vec<Loaded>, Error> {
    let mut since = earliest(msgids).as_micros();
    loop {
        let found = db.query(BY_MSGID, &[&user.0, &msgids, &since]).await?;
        if found.len() >= msgids.len() || since <= 0 {
            return found.iter().map(loaded).collect();
        }
        // One whose stamp was mended is older than its msgid says.
        since = 0;
    }
}

/// The items of an inbox that were created at these times, in this order.
pub(crate) async fn created_at(db: &Session, user: UserKey, times: &[Stamp]) -> Result<Vec<Loaded>, Error> {
    let times: Vec<i64> = times.iter().map(|at| at.as_micros()).collect();
    db.query(BY_TIME, &[&user.0, &times]).await?.iter().map(loaded).collect()
}

fn loaded(row: &Row) -> Result<Loaded, Error> {
    let kind = Kind::from_row(i64::from(row.at::<i16>(1)?)).unwrap_or(Kind::Reminder);
    let item = Item {
        created_at: row.stamp(3)?,
        auto: row.at(4)?,
        own: row.at(5)?,
        seen_at: row.time(6)?,
        read_at: row.time(7)?,
        archived_at: row.time(8)?,
        snoozed_until: row.time(9)?,
        deleted: row.at(10)?,
        mark: row.time(11)?,
        mark_read_at: row.time(18)?,
        revised_at: row.stamp_or_none(12)?,
        edited_at: row.stamp_or_none(13)?,
        closed: row.at(14)?,
        marked: MarkTimes { read: row.time(15)?, archive: row.time(16)?, snooze: row.time(17)? },
    };
    Ok(Loaded { msgid: MsgId(row.at(0)?), view: ViewKey { kind, view: row.at(2)? }, item })
}

/// `$1` the user; then a column of each changed field.
const UPDATE: &str = "UPDATE items i SET stamp = u.stamp, version = i.version + 1, auto = u.auto, unread = u.unread,
        seen_at = u.seen_at, read_at = u.read_at, archived_at = u.archived_at, snoozed_until = u.snoozed_until,
        deleted = u.deleted, revised_at = u.revised_at, edited_at = u.edited_at, closed = u.closed,
        read_marked_at = coalesce(u.read_marked_at, i.read_marked_at),
        archive_marked_at = coalesce(u.archive_marked_at, i.archive_marked_at),
        snooze_marked_at = coalesce(u.snooze_marked_at, i.snooze_marked_at)
    FROM unnest($2::bigint[], $3::bigint[], $4::boolean[], $5::smallint[], $6::bigint[], $7::bigint[], $8::bigint[],
        $9::bigint[], $10::boolean[], $11::bigint[], $12::bigint[], $13::boolean[], $14::bigint[],
        $15::bigint[], $16::bigint[])
        u (created_at, stamp, auto, unread, seen_at, read_at, archived_at, snoozed_until, deleted, revised_at, edited_at,
            closed, read_marked_at, archive_marked_at, snooze_marked_at)
    WHERE i.user_key = $1 AND i.created_at = u.created_at";

/// `$1` the user, `$2` the times of creation; then a column of each time.
const SET_MARKED: &str = "UPDATE items i SET read_marked_at = u.read, archive_marked_at = u.archive,
        snooze_marked_at = u.snooze
    FROM unnest($2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[]) u (created_at, read, archive, snooze)
    WHERE i.user_key = $1 AND i.created_at = u.created_at";

/// Keeps the times of items' marks alone, which is no new version.
pub(super) async fn set_marked(tx: &Session, user: UserKey, items: &[Item]) -> Result<(), Error> {
    if items.is_empty() {
        return Ok(());
    }
    let created_at: Vec<i64> = items.iter().map(|item| item.created_at.as_micros()).collect();
    let times = |of: fn(&MarkTimes) -> Option<Stamp>| -> Vec<Option<i64>> {
        items.iter().map(|item| of(&item.marked).map(Stamp::as_micros)).collect()
    };
    let [read, archive, snooze] = [times(|at| at.read), times(|at| at.archive), times(|at| at.snooze)];
    tx.execute(SET_MARKED, &[&user.0, &created_at, &read, &archive, &snooze]).await?;
    Ok(())
}

/// New states of items, each the item's next version at a stamp of its own; all are written by one statement.
#[derive(Default)]
pub(crate) struct Changes {
    created_at: Vec<i64>,
    stamp: Vec<i64>,
    auto: Vec<bool>,
    unread: Vec<i16>,
    seen_at: Vec<Option<i64>>,
    read_at: Vec<Option<i64>>,
    archived_at: Vec<Option<i64>>,
    snoozed_until: Vec<Option<i64>>,
    deleted: Vec<bool>,
    revised_at: Vec<i64>,
    edited_at: Vec<i64>,
    closed: Vec<bool>,
    read_marked_at: Vec<Option<i64>>,
    archive_marked_at: Vec<Option<i64>>,
    snooze_marked_at: Vec<Option<i64>>,
}

impl Changes {
    /// Adds an item's new state; an item has one at most.
    pub(crate) fn push(&mut self, after: &Item, stamp: Stamp) {
        self.created_at.push(after.created_at.as_micros());
        self.stamp.push(stamp.as_micros());
        self.auto.push(after.auto);
        self.unread.push(unread_row(after));
        self.seen_at.push(after.seen_at.map(Stamp::as_micros));
        self.read_at.push(after.read_at.map(Stamp::as_micros));
        self.archived_at.push(after.archived_at.map(Stamp::as_micros));
        self.snoozed_until.push(after.snoozed_until.map(Stamp::as_micros));
        self.deleted.push(after.deleted);
        self.revised_at.push(after.revised_at.map_or(0, Stamp::as_micros));
        self.edited_at.push(after.edited_at.map_or(0, Stamp::as_micros));
        self.closed.push(after.closed);
        self.read_marked_at.push(after.marked.read.map(Stamp::as_micros));
        self.archive_marked_at.push(after.marked.archive.map(Stamp::as_micros));
        self.snooze_marked_at.push(after.marked.snooze.map(Stamp::as_micros));
    }

    /// The number of changed items.
    pub(crate) fn len(&self) -> usize {
        self.created_at.len()
    }

    /// Writes them.
    pub(crate) async fn write(&self, tx: &Session, user: UserKey) -> Result<(), Error> {
        if self.created_at.is_empty() {
            return Ok(());
        }
        tx.execute(
            UPDATE,
            &[
                &user.0,
                &self.created_at,
                &self.stamp,
                &self.auto,
                &self.unread,
                &self.seen_at,
                &self.read_at,
                &self.archived_at,
                &self.snoozed_until,
                &self.deleted,
                &self.revised_at,
                &self.edited_at,
                &self.closed,
                &self.read_marked_at,
                &self.archive_marked_at,
                &self.snooze_marked_at,
            ],
        )
        .await?;
        Ok(())
    }
}

/// The column `unread` of an item.
pub(crate) fn unread_row(item: &Item) -> i16 {
    i16::try_from(item.unread_state().as_row()).unwrap_or_default()
}
