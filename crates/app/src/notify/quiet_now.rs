//! What is quiet now, and why: the pause, quiet hours, the desktop's do-not-disturb mode, what is muted, and what only counts.

use tidings_ipc::{QuietCause, QuietName, QuietNow, QuietScope, QuietWhat, SourceId};
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
    let mut names: Vec<QuietName> = Vec::new();
    for QuietScope { source, origin } in settings.notify.quiet.iter().flat_map(|hours| &hours.only) {
        let is_named = names.iter().any(|one| one.source == *source && one.origin == *origin);
        if !origin.is_empty() && !is_named {
            let name = origin_name(replica, &contexts, *source, origin)?;
            names.push(QuietName { source: *source, origin: origin.clone(), name });
        }
    }
    let calendars = known.readings(&settings.notify.quiet);
    let more_threads = total.saturating_sub(threads.len() as u64);
    Ok(QuietNow { causes, more_threads, names, calendars })
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

/// A muted source, or a muted origin by its name.
fn muted(replica: &Replica, contexts: &RenderContexts, mute: Mute) -> tidings_replica::Result<QuietCause> {
    let Mute { source, origin, until } = mute;
    if origin.is_empty() {
        return Ok(QuietCause { source: Some(source), ..cause(QuietWhat::Source, until) });
    }
    let name = origin_name(replica, contexts, source, &origin)?;
    Ok(QuietCause { name, source: Some(source), ..cause(QuietWhat::Origin { origin }, until) })
}

/// The name that its threads have for an origin; its id if there is none.
fn origin_name(
    replica: &Replica,
    contexts: &RenderContexts,
    source: SourceId,
    origin: &str,
) -> tidings_replica::Result<String> {
    let thread = replica.thread_of_origin(source, origin)?;
    let named = thread.and_then(|thread| row::row(&contexts.of(source)?, &thread, &[]).origin);
    Ok(named.map_or_else(
        || {
            let id = origin.strip_prefix("topic:").or_else(|| origin.strip_prefix("application:"));
            text::line(id.unwrap_or(origin)).into_owned()
        },
        |named| named.name,
    ))
}

fn muted_thread(contexts: &RenderContexts, thread: &Thread) -> Option<QuietCause> {
    let ctx = contexts.of(thread.source)?;
    let name = plain::line(&row::row_text(&ctx, thread).sentence, Format::Plain, MAX_NAME_CHARS);
    let what = QuietWhat::Thread { thread: thread.id };
    Some(QuietCause { name, source: Some(thread.source), ..cause(what, thread.muted_until) })
}
