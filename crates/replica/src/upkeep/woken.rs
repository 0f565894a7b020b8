//! The table `woken`: items that came back from a snooze unread, until the app has announced them. Any process may wake
//! them, even while no app runs.

use rusqlite::Connection;
use tidings_model::MsgId;
use tidings_replica_tables::sources::LEVEL;
use tidings_replica_tables::sql;

use crate::{ItemId, NotifyLevel, NotifySettings, Replica, Result, SourceId, ThreadId};

/// An item that came back from a snooze.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Woken {
    /// The item's row id.
    pub item: ItemId,
    /// Its source.
    pub source: SourceId,
    /// Its thread.
    pub thread: ThreadId,
    /// The thread's key.
    pub key: String,
    /// Its msgid.
    pub msgid: MsgId,
    /// The priority in force: the server's, or a rule's.
    pub priority: u8,
    /// The notify settings of its thread, completed by those of its source; a muted thread has the level `Nothing`.
    pub notify: NotifySettings,
    /// Whether it is still unread.
    pub unread: bool,
}

/// The most items that are announced at once.
const MAX_TOLD: i64 = 1_000;

/// Records an item that came back.
pub(crate) fn insert(tx: &Connection, item: ItemId) -> Result<()> {
    sql::run(tx, "INSERT OR IGNORE INTO woken (item) VALUES (?1)", [item]).map(drop)
}

fn all(conn: &Connection) -> Result<Vec<Woken>> {
    let sql = format!(
        "SELECT i.id, i.source, i.thread, i.msgid, i.priority, i.unread, t.muted, t.notify_level,
            t.notify_from_priority, t.notify_sound, {LEVEL}, sources.notify_from_priority, sources.notify_sound, t.key
         FROM woken w CROSS JOIN items i ON i.id = w.item
            JOIN threads t ON t.id = i.thread JOIN sources ON sources.id = i.source
         ORDER BY w.item LIMIT ?1"
    );
    sql::all(conn, &sql, [MAX_TOLD], |r| {
        let muted: bool = r.get(6)?;
        let level = muted.then_some(NotifyLevel::Nothing);
        let notify = NotifySettings { level, ..NotifySettings::default() };
        Ok(Woken {
            item: r.get(0)?,
            source: r.get(1)?,
            thread: r.get(2)?,
            key: r.get(13)?,
            msgid: MsgId(r.get(3)?),
            priority: r.get(4)?,
            notify: notify.or(NotifySettings::of(r, 7)?).or(NotifySettings::of(r, 10)?),
            unread: r.get(5)?,
        })
    })
}

impl Replica {
    /// The items that came back from a snooze and were not announced yet, at most 1,000.
    pub fn woken(&self) -> Result<Vec<Woken>> {
        self.read(all)
    }

    /// Forgets items that came back, after they were announced.
    pub fn forget_woken(&self, items: &[ItemId]) -> Result<()> {
        let items = serde_json::to_string(items)?;
        self.write(move |tx, _| {
            sql::run(tx, "DELETE FROM woken WHERE item IN (SELECT value FROM json_each(?1))", [items])
                .map(drop)
        })?;
        Ok(())
    }
}
