//! What a source or a thread may tell, as its reader set it: kept, and laid over one another. Refuses to count: the
//! ledger and the numbers do.

use rusqlite::{Connection, OptionalExtension, Row, params};
use serde::{Deserialize, Serialize};
use tidings_model::MsgId;
use ts_rs::TS;

use crate::ledger::Ledger;
use crate::{Error, Replica, Result, SourceId, ThreadId, sources};

/// The setting with the least priority that is told of, 1 to 5; 3 unless it is set.
pub const FROM_PRIORITY: &str = "from_priority";
/// Where nothing else is set.
pub(crate) const USUAL: u8 = 3;

/// How much is told of what arrives.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum NotifyLevel {
    /// A toast, and counted on the badge.
    #[default]
    Toast,
    /// Counted on the badge, no toast.
    Badge,
    /// Neither: muted.
    Nothing,
}

impl NotifyLevel {
    pub(crate) const fn as_row(self) -> i64 {
        match self {
            Self::Toast => 0,
            Self::Badge => 1,
            Self::Nothing => 2,
        }
    }

    fn from_row(n: i64) -> Self {
        match n {
            1 => Self::Badge,
            2 => Self::Nothing,
            _ => Self::Toast,
        }
    }
}

/// What a source or a thread may do; none as the wider one has it (thread: its source; source: the settings).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(default)]
pub struct NotifySettings {
    /// How much.
    pub level: Option<NotifyLevel>,
    /// Items of a lower priority are listed, not counted, and have no toast: 1 to 5.
    pub from_priority: Option<u8>,
    /// Whether a toast may sound.
    pub sound: Option<bool>,
}

impl NotifySettings {
    /// This, and where it says nothing what the wider one says.
    #[must_use]
    pub const fn or(self, inherited: Self) -> Self {
        Self {
            level: if self.level.is_some() { self.level } else { inherited.level },
            from_priority: if self.from_priority.is_some() {
                self.from_priority
            } else {
                inherited.from_priority
            },
            sound: if self.sound.is_some() { self.sound } else { inherited.sound },
        }
    }

    /// From the columns `tell, from_priority, sound` that begin at `at`.
    pub(crate) fn of(r: &Row<'_>, at: usize) -> rusqlite::Result<Self> {
        Ok(Self {
            level: r.get::<_, Option<i64>>(at)?.map(NotifyLevel::from_row),
            from_priority: r.get(at + 1)?,
            sound: r.get(at + 2)?,
        })
    }

    fn within_bounds(self) -> Self {
        Self { from_priority: self.from_priority.map(|n| n.clamp(1, 5)), ..self }
    }
}

/// The least priority that counts where neither thread nor source says otherwise.
pub(crate) fn from_priority(conn: &Connection) -> Result<u8> {
    let set: Option<String> = conn
        .prepare_cached("SELECT value FROM settings WHERE key = ?1")?
        .query_row([FROM_PRIORITY], |r| r.get(0))
        .optional()?;
    Ok(set.and_then(|text| text.parse::<u8>().ok()).unwrap_or(USUAL).clamp(1, 5))
}

fn write(tx: &Connection, table: &'static str, id: i64, notify: NotifySettings) -> Result<()> {
    let sql = format!("UPDATE {table} SET tell = ?2, from_priority = ?3, sound = ?4 WHERE id = ?1");
    let tell = notify.level.map(NotifyLevel::as_row);
    tx.prepare_cached(&sql)?.execute(params![id, tell, notify.from_priority, notify.sound])?;
    Ok(())
}

fn set_thread_notify(
    tx: &Connection,
    ledger: &mut Ledger<'_>,
    id: ThreadId,
    notify: NotifySettings,
) -> Result<()> {
    let (pinned, _) = ledger.flags(id)?;
    let muted = notify.level == Some(NotifyLevel::Nothing);
    let told = NotifySettings { level: notify.level.filter(|tell| *tell != NotifyLevel::Nothing), ..notify };
    write(tx, "threads", id, told)?;
    ledger.set_flags(id, pinned, muted)?;
    ledger.set_notify(id, told)
}

fn any_unread(conn: &Connection, source: SourceId, names: &[MsgId]) -> Result<bool> {
    let mut one =
        conn.prepare_cached("SELECT unread FROM items WHERE source = ?1 AND msgid = ?2 AND deleted = 0")?;
    for name in names {
        if one.query_row(params![source, name.as_str()], |r| r.get(0)).optional()? == Some(true) {
            return Ok(true);
        }
    }
    Ok(false)
}

impl Replica {
    /// Sets what a source may tell, and gives what holds now. The badge follows at once.
    pub fn set_source_notify(&self, id: SourceId, notify: NotifySettings) -> Result<NotifySettings> {
        let notify = notify.within_bounds();
        self.write(move |tx, _| {
            sources::one(tx, id)?;
            write(tx, "sources", id, notify)
        })?;
        Ok(notify)
    }

    /// Sets what a thread may tell, and gives what holds now. [`NotifyLevel::Nothing`] mutes it.
    pub fn set_thread_notify(&self, id: ThreadId, notify: NotifySettings) -> Result<NotifySettings> {
        let notify = notify.within_bounds();
        self.write(move |tx, ledger| set_thread_notify(tx, ledger, id, notify))?;
        Ok(notify)
    }

    /// The least priority that counts where neither thread nor source says otherwise: 1 to 5.
    pub fn default_from_priority(&self) -> Result<u8> {
        self.read(from_priority)
    }

    /// What a thread may tell, as it was set.
    pub fn thread_notify(&self, id: ThreadId) -> Result<NotifySettings> {
        self.read(|conn| {
            conn.prepare_cached("SELECT muted, tell, from_priority, sound FROM threads WHERE id = ?1")?
                .query_row([id], |r| {
                    let told = NotifySettings::of(r, 1)?;
                    let muted: bool = r.get(0)?;
                    Ok(if muted {
                        NotifySettings { level: Some(NotifyLevel::Nothing), ..told }
                    } else {
                        told
                    })
                })
                .optional()?
                .ok_or(Error::NoThread(id))
        })
    }

    /// Whether any of these items is still unread. The likeliest go first.
    pub fn any_unread(&self, source: SourceId, names: &[MsgId]) -> Result<bool> {
        self.read(|conn| any_unread(conn, source, names))
    }
}
