//! Renders a thread as a row of a list: its two lines, the snippet, the sentence for a screen reader, the avatar.

mod highlight;
mod texts;

use tidings_ipc::{Follow, Link, ThreadRow};
use tidings_model::{Actor, Format, Kind, Stamp, Target, text};
use tidings_replica::{Hit, Item, Source, Subscription, Thread, ThreadPreview, ThreadQuestion};
use tidings_sources::{protocol, topics};

use self::highlight::highlight;
pub use self::texts::{RowText, row_text};
use crate::context::RenderContext;
use crate::link::{external_url, shown, web_url};
use crate::{origin, plain, question};

/// The most characters of the body in a row.
const MAX_SNIPPET_CHARS: usize = 200;

/// Renders a row, with the given terms highlighted.
pub fn row(ctx: &RenderContext<'_>, thread: &Thread, highlights: &[String]) -> ThreadRow {
    let question = question::of_row(ctx, thread);
    let asking =
        question.as_ref().map(|(asked, _)| *asked).filter(|asked| asked.msgid != thread.preview.msgid);
    let asking_thread = asking.map(|asked| showing(thread, preview_of(asked, &thread.preview)));
    // Texts, icon and link are those of one item.
    let shown = asking_thread.as_ref().unwrap_or(thread);
    let mut texts = row_text(ctx, shown);
    if !highlights.is_empty() {
        texts.what = highlight(texts.what, highlights);
    }
    ThreadRow {
        id: thread.id,
        source: thread.source,
        kind: thread.kind,
        who: texts.who,
        who_short: texts.who_short,
        what: texts.what,
        snippet: texts.snippet,
        sentence: texts.sentence,
        avatar: texts.avatar,
        time: thread.last_at.as_millis(),
        shown_at: asking.map(|asked| asked.at.as_millis()),
        unread: thread.unread,
        total: thread.total,
        priority: asking.map_or(thread.priority, |asked| asked.priority),
        unseen: thread.unseen > 0,
        pending: thread.pending,
        muted: thread.muted,
        muted_until: thread.muted_until.map(Stamp::as_millis),
        counts: thread.counts(ctx.source.notify, ctx.default_from_priority),
        pinned: thread.pinned,
        archived: thread.archived,
        snoozed_until: thread.snoozed_until.map(Stamp::as_millis),
        woken_at: thread.woken_at.filter(|_| thread.unread > 0).map(Stamp::as_millis),
        draft: plain::line(&thread.draft, tidings_model::Format::Plain, MAX_SNIPPET_CHARS),
        icon: icon(shown.preview.icon.as_deref(), shown.preview.conversation.as_deref()),
        link: link(shown.preview.url.as_deref(), shown.preview.target.as_ref()),
        follow: follow(ctx.source, thread.subscription),
        topic: publishable(ctx.source, thread.preview.target.as_ref()),
        origin: thread.preview.target.as_ref().and_then(|target| origin::of(ctx, target)),
        question: question.map(|(_, question)| question),
        hit: thread.archived_in_part.then(|| thread.preview.msgid.clone()),
        done: None,
    }
}

/// The topic of a thread on which one can publish.
fn publishable(source: &Source, target: Option<&Target>) -> Option<String> {
    let target = target.filter(|target| target.kind == "topic")?;
    topics(source).into_iter().find(|topic| *topic == target.id)
}

/// The subscription of a thread of a source; `None` if the service keeps none.
fn follow(source: &Source, subscription: Option<Subscription>) -> Option<Follow> {
    let known = protocol(&source.protocol).ok().filter(|known| known.abilities.follow)?;
    Some(Follow { service: known.label.to_owned(), subscription })
}

/// The link of an item: its own, else its target's.
pub fn link(own: Option<&str>, target: Option<&Target>) -> Option<Link> {
    let of_target = target.and_then(|target| target.url.as_deref());
    let url = [own, of_target].into_iter().flatten().find_map(external_url)?;
    let host = shown(&url).host;
    Some(Link { url: url.into(), host })
}

/// Renders a row that shows what a search found in its thread, with the given terms highlighted. Its list is sorted by what
/// was found, or, if it is `in_place`, as the place that was narrowed.
pub fn found_row(
    ctx: &RenderContext<'_>,
    thread: &Thread,
    hit: &Hit,
    highlights: &[String],
    in_place: bool,
) -> ThreadRow {
    let is_newest = thread.preview.msgid == hit.preview.msgid;
    // What a search found stands in place of the question.
    let question = thread.question.clone().filter(|asked| asked.msgid == hit.preview.msgid);
    let thread = Thread { question, ..thread.clone() };
    let body = found_body(thread.kind, hit, highlights);
    let preview = ThreadPreview { body, format: Format::Plain, ..hit.preview.clone() };
    let shown = if is_newest { Thread { preview, ..thread } } else { showing(&thread, preview) };
    let sorted_by = if in_place { shown.last_at } else { hit.created_at };
    let of_thread = row(ctx, &shown, highlights);
    ThreadRow {
        time: sorted_by.as_millis(),
        shown_at: in_place.then(|| hit.created_at.as_millis()),
        // It says why the thread is on top of its place, if no words have the room.
        woken_at: of_thread.woken_at.filter(|_| in_place && highlights.is_empty()),
        priority: hit.priority,
        hit: (!is_newest || shown.archived_in_part).then(|| hit.preview.msgid.clone()),
        ..of_thread
    }
}

/// The part of the body with the first of the terms. An action's title, which a row does not show beside a body, comes
/// before it if the title alone has one of the terms.
fn found_body(kind: Kind, hit: &Hit, highlights: &[String]) -> String {
    let ThreadPreview { title, target, format, .. } = &hit.preview;
    let body = plain::excerpt(&hit.body, *format, highlights, MAX_SNIPPET_CHARS);
    let target = target.as_ref();
    let target_name = target.map_or("", |target| target.title.as_deref().unwrap_or(&target.id));
    let only_title_has = |term: &String| {
        let has = |text: &str| plain::position(text, std::slice::from_ref(term)).is_some();
        has(title) && !has(target_name) && !has(&hit.body)
    };
    if body.is_empty() || !is_action(kind, target) || !highlights.iter().any(only_title_has) {
        return body;
    }
    plain::excerpt(&format!("{title} · {body}"), Format::Plain, highlights, MAX_SNIPPET_CHARS)
}

/// A thread as if this item of it were its newest one.
pub fn as_newest(thread: Thread, item: &Item) -> Thread {
    if thread.preview.msgid == item.notification.msgid.0 {
        return thread;
    }
    showing(&thread, tidings_replica::preview_of(&item.notification, item.own))
}

/// A thread as if this were its newest item.
fn showing(thread: &Thread, preview: ThreadPreview) -> Thread {
    let mut shown = thread.clone();
    if thread.kind == Kind::Reminder {
        (shown.actors, shown.actor_count) = (vec![preview.actor.clone()], 1);
    }
    Thread { preview, ..shown }
}

/// The preview of an item that asks, in the thread of another item.
fn preview_of(asked: &ThreadQuestion, newest: &ThreadPreview) -> ThreadPreview {
    let asked = asked.clone();
    ThreadPreview {
        msgid: asked.msgid,
        actor: asked.actor,
        own: asked.own,
        action: asked.action,
        target: asked.target,
        conversation: newest.conversation.clone(),
        title: asked.title,
        body: asked.body,
        format: asked.format,
        url: asked.url,
        icon: asked.icon,
        tags: asked.tags.into_iter().take(ThreadPreview::TAGS).collect(),
        data: asked.data,
    }
}

/// The address of the icon that the publisher of a notification named, as it may be fetched on request. A message shows
/// its sender instead.
pub(crate) fn icon(address: Option<&str>, conversation: Option<&str>) -> Option<String> {
    let address = address.filter(|_| conversation.is_none())?;
    web_url(address).map(|(url, _)| url.into())
}

/// The name of the topic that a notification was published on, or of the application that published it.
pub(crate) fn topic(last: &ThreadPreview) -> Option<String> {
    let target = last.target.as_ref().filter(|_| is_publication(last.target.as_ref()))?;
    let name = target.title.as_deref().filter(|t| !t.is_empty()).unwrap_or(&target.id);
    Some(text::line(name).into_owned())
}

/// Whether a target is a topic or an application, on which something is published.
pub(crate) fn is_publication(target: Option<&Target>) -> bool {
    target.is_some_and(|target| matches!(&*target.kind, "topic" | "application"))
}

/// Whether somebody did something to a target, which a sentence says.
fn is_action(kind: Kind, target: Option<&Target>) -> bool {
    kind == Kind::Reminder && !is_publication(target) && !is_entry(target)
}

/// The icon of a feed's entries.
pub(crate) const ENTRY_ICON: &str = "rss";

/// Whether a target is an entry of a feed: its title says what it is, and nobody did anything to it.
pub(crate) fn is_entry(target: Option<&Target>) -> bool {
    target.is_some_and(|target| target.kind == "entry")
}

/// The name of an actor, or its id if it has none.
pub(crate) fn name(actor: &Actor) -> &str {
    if actor.name.is_empty() { &actor.id } else { &actor.name }
}

#[cfg(test)]
#[path = "row_tests.rs"]
mod tests;
