//! `mute`, `unmute` and `quiet`: what makes no toasts and does not count on the badge, also for a time, and all that is quiet
//! now.

use serde_json::json;
use tidings_app::notify::quiet_now;
use tidings_home::Home;
use tidings_ipc::{CalendarTrouble, QuietCause, QuietNow, QuietWhat};
use tidings_model::{Clock, Stamp, SystemClock};
use tidings_replica::{Mark, Mute, Replica, Targets};
use tidings_toasts::quiet;

use super::mark::{report, threads, time};
use crate::{
    args::Muted,
    error::{Error, Result},
    inbox::{self, SourceNames},
    output::{Output, clean},
    text,
};

/// Runs `tidings mute`; without `until` it lasts until it is ended.
pub(crate) async fn mute(what: Muted, until: Option<&str>, home: &Home, out: Output) -> Result<()> {
    let now = SystemClock.now();
    let wrong = |text: &str| {
        Error::Usage(format!(
            "`{text}` is not a time to come such as 2026-11-21T08:00:00Z, or 30m, 2h, 3d from now"
        ))
    };
    let until = until
        .map(|text| time(text, now).filter(|until| *until > now).ok_or_else(|| wrong(text)))
        .transpose()?;
    set(what, Mark::Mute { until }, home, out).await
}

/// Runs `tidings unmute`.
pub(crate) async fn unmute(what: Muted, home: &Home, out: Output) -> Result<()> {
    set(what, Mark::Unmute, home, out).await
}

/// Mutes or unmutes.
async fn set(what: Muted, mark: Mark, home: &Home, out: Output) -> Result<()> {
    let replica = inbox::open(home)?;
    let Some(name) = what.source else { return set_threads(&replica, &what.msgids, mark, home, out).await };
    let source = inbox::find(&replica, &name)?.id;
    let origin = what.topic.map(|topic| origin_of(&topic)).unwrap_or_default();
    let done = if let Mark::Mute { until } = mark {
        replica.mute(&Mute { source, origin, until })?;
        "muted"
    } else {
        replica.unmute(source, &origin)?;
        "unmuted"
    };
    inbox::notify_app(home).await;
    out.print(&json!({ done: name }), |to| writeln!(to, "{done} {}", clean(&name)))
}

/// A topic or a repository as the replica calls it.
fn origin_of(topic: &str) -> String {
    if topic.contains(['/', ':']) { topic.to_owned() } else { format!("topic:{topic}") }
}

async fn set_threads(
    replica: &Replica,
    msgids: &[String],
    mark: Mark,
    home: &Home,
    out: Output,
) -> Result<()> {
    let (threads, missing) = threads(replica, msgids)?;
    let changed = replica.mark(Targets::Threads(threads), mark)?.changed.threads.len();
    report("threads", changed as u64, &missing, home, out).await
}

/// Runs `tidings quiet`.
pub(crate) fn quiet(home: &Home, out: Output) -> Result<()> {
    let replica = inbox::open(home)?;
    let names = SourceNames::of(&replica)?;
    let now = quiet_now::read(&replica, &quiet::system(), SystemClock.now(), &text::language())?;
    out.print(&now, |to| {
        let QuietNow { causes, more_threads, calendars, .. } = &now;
        for cause in causes {
            writeln!(to, "{}", clean(&line(cause, &names)))?;
        }
        for reading in calendars {
            if let Some(trouble) = reading.trouble {
                writeln!(to, "the calendar of quiet hours {} {}", reading.at + 1, trouble_text(trouble))?;
            }
        }
        match (causes.is_empty(), more_threads) {
            (true, _) => writeln!(to, "nothing is quiet"),
            (false, 0) => Ok(()),
            (false, more) => writeln!(to, "{more} more muted threads"),
        }
    })
}

/// Why a calendar could not be read.
const fn trouble_text(trouble: CalendarTrouble) -> &'static str {
    match trouble {
        CalendarTrouble::Address => "has an address that cannot be used",
        CalendarTrouble::Offline => "could not be read: there is no network",
        CalendarTrouble::NoAnswer => "could not be read: its server does not answer",
        CalendarTrouble::Refused => "could not be read: its server refused",
        CalendarTrouble::NoCalendar => "is no calendar in the ICS format",
        CalendarTrouble::TooLarge => "is too large to read",
    }
}

/// A cause, with its end.
fn line(QuietCause { what, name, source, until }: &QuietCause, names: &SourceNames) -> String {
    let source = source.map(|source| names.name(source)).unwrap_or_default();
    let what = match what {
        QuietWhat::Pause => "toasts are paused".to_owned(),
        QuietWhat::Hours { at } => format!("quiet hours {}", at + 1),
        QuietWhat::Calendar { at } => format!("the calendar of quiet hours {} is busy", at + 1),
        QuietWhat::DoNotDisturb => "do not disturb".to_owned(),
        QuietWhat::Source => format!("muted source {source}"),
        QuietWhat::Origin { .. } => format!("muted {name} of {source}"),
        QuietWhat::Thread { .. } => format!("muted thread of {source}: {name}"),
        QuietWhat::BadgeOnly => format!("badge only for {source}"),
    };
    match until {
        Some(until) => format!("{what}, until {}", Stamp::from_millis(*until)),
        None => format!("{what}, until you end it"),
    }
}
