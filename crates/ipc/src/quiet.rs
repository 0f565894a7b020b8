//! What is quiet now, and why.

use serde::{Deserialize, Serialize};
use tidings_net::Error;
use ts_rs::TS;

use crate::{SourceId, ThreadId};

/// All that holds toasts back now, and what is muted.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct QuietNow {
    /// The causes: a pause, quiet hours, the desktop, what is muted, then sources that only count. Of threads at most 50:
    /// those whose mute ends first, then the newest of the others.
    pub causes: Vec<QuietCause>,
    /// The muted threads that are left out.
    pub more_threads: u64,
    /// The names of the topics, applications and repositories that quiet hours are for.
    pub names: Vec<QuietName>,
    /// The calendars of quiet hours, as they were read last.
    pub calendars: Vec<CalendarReading>,
}

/// The name of a topic, an application or a repository that quiet hours are for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct QuietName {
    /// The source.
    pub source: SourceId,
    /// The topic, application or repository, as `QuietScope.origin` has it.
    pub origin: String,
    /// The name that its threads have for it; its id if there is none.
    pub name: String,
}

/// When the calendar of quiet hours was read, and what is wrong with it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct CalendarReading {
    /// The place of the quiet hours among those of the settings, from 0.
    pub at: u32,
    /// When it last answered, milliseconds since 1970; null if it never did.
    pub read_at: Option<i64>,
    /// Why it could not be read; then its last answer counts.
    pub trouble: Option<CalendarTrouble>,
}

/// Why a calendar could not be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum CalendarTrouble {
    /// It has no address that can be asked.
    Address,
    /// There is no network.
    Offline,
    /// Its server does not answer, or not in time.
    NoAnswer,
    /// Its server refuses, or wants a sign-in.
    Refused,
    /// What came is no calendar.
    NoCalendar,
    /// It is too large, or takes too much to read.
    TooLarge,
}

impl CalendarTrouble {
    /// What an error means.
    pub const fn of(error: &Error) -> Self {
        match error {
            Error::Address(_) => Self::Address,
            Error::Offline => Self::Offline,
            Error::Malformed => Self::NoCalendar,
            Error::AnswerTooLarge | Error::TooComplex => Self::TooLarge,
            Error::SignIn | Error::Forbidden | Error::Refused(_) | Error::Resync | Error::RedirectRefused => {
                Self::Refused
            }
            _ => Self::NoAnswer,
        }
    }

    /// Whether the document is at fault.
    pub const fn is_of_document(self) -> bool {
        matches!(self, Self::NoCalendar | Self::TooLarge)
    }
}

/// Something that is quiet, or that holds toasts back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct QuietCause {
    /// The cause.
    pub what: QuietWhat,
    /// The name of a topic, an application, a repository or a thread; empty for all else.
    pub name: String,
    /// The source, or that of the muted thread or origin; null if the cause is of no source.
    pub source: Option<SourceId>,
    /// When it ends by itself, milliseconds since 1970; null if it has to be ended.
    pub until: Option<i64>,
}

/// What a cause is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(tag = "is", rename_all = "snake_case")]
pub enum QuietWhat {
    /// The pause of toasts.
    Pause,
    /// Quiet hours.
    Hours {
        /// Their place among those of the settings, from 0.
        at: u32,
    },
    /// Quiet hours while a calendar is busy.
    Calendar {
        /// Their place among those of the settings, from 0.
        at: u32,
    },
    /// The desktop's do-not-disturb mode.
    DoNotDisturb,
    /// A source that is muted.
    Source,
    /// A topic, an application or a repository that is muted.
    Origin {
        /// What `mute` calls it.
        origin: String,
    },
    /// A thread that is muted by itself.
    Thread {
        /// The thread.
        thread: ThreadId,
    },
    /// A source of which items count on the badge and make no toasts.
    BadgeOnly,
}
