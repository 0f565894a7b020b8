//! What is quiet now, and why: the pause, quiet hours, the desktop's do-not-disturb mode, what is muted, and what only counts.

use tidings_ipc::{QuietCause, QuietNow, QuietWhat};
use tidings_model::{Format, Language, Stamp, text};
use tidings_render::contexts::RenderContexts;
use tidings_render::plain;
use tidings_render::row;
use tidings_replica::{Mute, NotifyLevel, Replica, Thread};
use tidings_toasts::quiet::{self, Zone};

use crate::context::Context;
use crate::error::Result;
use crate::state::settings::{SettingsStore, StoredSettings};

/// The most muted threads that are listed.
const MAX_THREADS: usize = 50;
/// The most characters of a thread's name.
const MAX_NAME_CHARS: usize = 100;

/// Returns what is quiet now, and why.
pub(crate) async fn now(context: &Context, do_not_disturb: bool) -> Result<QuietNow> {
    let (zone, now, language) = (context.zone.clone(), context.now(), context.language());
    let mut all = context.disk(move |r| read(r, zone.as_ref(), now, &language)).await?;
    if do_not_disturb {
        let at = all.causes.iter().take_while(|one| is_of_everything(&one.what)).count();
        all.causes.insert(at, cause(QuietWhat::DoNotDisturb, None));
    }
    Ok(all)
}

/// What a replica knows to be quiet at a time; the desktop's do-not-disturb mode is not among it.
///
/// # Errors
/// The replica can't be read.
pub fn read(
    replica: &Replica,
    zone: &dyn Zone,
    now: Stamp,
    language: &Language,
) -> tidings_replica::Result<QuietNow> {
    let stored = SettingsStore::read(replica)?;
    let (settings, known) = (stored.get(), stored.calendars());
    let (threads, total) = replica.muted_threads(MAX_THREADS)?;
    let contexts = RenderContexts::load(replica, language)?;
    let mut causes = silences(&settings, zone, now);
    for mute in replica.mutes()? {
        causes.push(muted(replica, &contexts, mute)?);
    }
    let threads = replica.threads_by_id(&threads)?;
    causes.extend(threads.iter().filter_map(|thread| muted_thread(&contexts, thread)));
    for source in replica.sources()? {
        if source.notify.level == Some(NotifyLevel::Badge) {
            causes.push(QuietCause { source: Some(source.id), ..cause(QuietWhat::BadgeOnly, None) });
        }
    }
    let calendars = known.readings(&settings.notify.quiet);
    Ok(QuietNow { causes, more_threads: total.saturating_sub(threads.len() as u64), calendars })
}

fn cause(what: QuietWhat, until: Option<Stamp>) -> QuietCause {
    QuietCause { what, name: String::new(), source: None, until: until.map(Stamp::as_millis) }
}

fn is_of_everything(what: &QuietWhat) -> bool {
    matches!(what, QuietWhat::Pause | QuietWhat::Hours { .. } | QuietWhat::Calendar { .. })
}

/// The pause and the quiet hours in force.
fn silences(settings: &StoredSettings, zone: &dyn Zone, now: Stamp) -> Vec<QuietCause> {
    let pause = settings.pause_end(now);
    let pause = pause.map(|until| cause(QuietWhat::Pause, Some(until).filter(|until| *until < Stamp::MAX)));
    let hours = (0..).zip(&settings.notify.quiet).filter_map(|(at, hours)| {
        let quiet = quiet::in_force(std::slice::from_ref(hours), zone, now)?;
        let what =
            if hours.calendar.is_some() { QuietWhat::Calendar { at } } else { QuietWhat::Hours { at } };
        Some(cause(what, Some(quiet.until)))
    });
    pause.into_iter().chain(hours).collect()
}

/// A muted source, or a muted origin by the name that its threads have for it.
fn muted(replica: &Replica, contexts: &RenderContexts, mute: Mute) -> tidings_replica::Result<QuietCause> {
    let Mute { source, origin, until } = mute;
    if origin.is_empty() {
        return Ok(QuietCause { source: Some(source), ..cause(QuietWhat::Source, until) });
    }
    let thread = replica.thread_of_origin(source, &origin)?;
    let named = thread.and_then(|thread| row::row(&contexts.of(source)?, &thread, &[]).origin);
    let name = named.map_or_else(
        || {
            let id = origin.strip_prefix("topic:").or_else(|| origin.strip_prefix("application:"));
            text::line(id.unwrap_or(&origin)).into_owned()
        },
        |named| named.name,
    );
    Ok(QuietCause { name, source: Some(source), ..cause(QuietWhat::Origin { origin }, until) })
}

fn muted_thread(contexts: &RenderContexts, thread: &Thread) -> Option<QuietCause> {
    let ctx = contexts.of(thread.source)?;
    let name = plain::line(&row::row_text(&ctx, thread).sentence, Format::Plain, MAX_NAME_CHARS);
    let what = QuietWhat::Thread { thread: thread.id };
    Some(QuietCause { name, source: Some(thread.source), ..cause(what, thread.muted_until) })
}
