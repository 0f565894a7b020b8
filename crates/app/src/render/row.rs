//! Renders a thread as a row of a list: its two lines, the snippet, the sentence for a screen reader, the avatar.

use std::collections::BTreeSet;

use tidings_model::sentence::{Event, sentence};
use tidings_model::{Actor, Format, Kind, Piece, Stamp, Target, template, text};
use tidings_replica::{Hit, Source, Subscription, Thread, ThreadPreview, ThreadQuestion};
use tidings_sync::source::{protocol, topics};

use super::context::RenderContext;
use super::link::{external_url, shown, web_url};
use super::plain::fold;
use super::{avatar, emoji, origin, plain, question};
use crate::ipc::{Avatar, Follow, Link, Span, ThreadRow};
use crate::strings::strings;

/// The most characters of the body in a row.
const MAX_SNIPPET_CHARS: usize = 200;

/// The texts of a row.
#[derive(Debug, Clone, PartialEq)]
pub struct RowText {
    /// The first line: the actors, the conversation or the topic.
    pub who: String,
    /// The first line in short form.
    pub who_short: String,
    /// The second line: what the actors did, or the title or text of the newest item.
    pub what: Vec<Span>,
    /// The beginning of the body, shown fainter after the second line.
    pub snippet: String,
    /// The whole row in one sentence.
    pub sentence: String,
    /// The avatar.
    pub avatar: Avatar,
}

impl RowText {
    /// A toast's body under a title that has the number of items and the heading of their thread. It says who did what,
    /// with the snippet; or it is the newest text, if the heading has said all else.
    pub fn text_of_several(&self, thread: &Thread) -> String {
        match (is_action(thread.kind, thread.preview.target.as_ref()), self.snippet.is_empty()) {
            (false, _) => self.text(),
            (true, true) => self.sentence.clone(),
            (true, false) => format!("{}\n{}", self.sentence, self.snippet),
        }
    }

    /// The second line and the snippet as plain text: a toast's body.
    pub fn text(&self) -> String {
        let what: String = self.what.iter().map(|span| span.text.as_str()).collect();
        match (what.is_empty(), self.snippet.is_empty()) {
            (false, false) => format!("{what}\n{}", self.snippet),
            (true, _) => self.snippet.clone(),
            (_, true) => what,
        }
    }
}

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
    ThreadRow {
        time: sorted_by.as_millis(),
        shown_at: in_place.then(|| hit.created_at.as_millis()),
        woken_at: None,
        priority: hit.priority,
        hit: (!is_newest || shown.archived_in_part).then(|| hit.preview.msgid.clone()),
        ..row(ctx, &shown, highlights)
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

/// The texts of a thread's row, without control and direction characters.
pub fn row_text(ctx: &RenderContext<'_>, thread: &Thread) -> RowText {
    let mut texts = raw_row_text(ctx, thread);
    let what = texts.what.iter_mut().map(|span| &mut span.text);
    let parts = [&mut texts.who, &mut texts.who_short, &mut texts.snippet, &mut texts.sentence];
    parts.into_iter().chain(what).for_each(text::make_line);
    texts
}

fn raw_row_text(ctx: &RenderContext<'_>, thread: &Thread) -> RowText {
    match thread.kind {
        Kind::Announcement => announcement(ctx, &thread.preview),
        Kind::Message => message(ctx, thread),
        Kind::Reminder => match topic(&thread.preview) {
            Some(name) => publication(&name, &thread.preview, avatar::topic_icon(&name)),
            None if is_entry(thread.preview.target.as_ref()) => {
                publication(name(&thread.preview.actor), &thread.preview, ENTRY_ICON)
            }
            None => reminder(ctx, thread),
        },
    }
}

/// The address of the icon that the publisher of a notification named, as it may be fetched on request. A message shows
/// its sender instead.
pub(super) fn icon(address: Option<&str>, conversation: Option<&str>) -> Option<String> {
    let address = address.filter(|_| conversation.is_none())?;
    web_url(address).map(|(url, _)| url.into())
}

/// The name of the topic that a notification was published on, or of the application that published it.
pub(super) fn topic(last: &ThreadPreview) -> Option<String> {
    let target = last.target.as_ref().filter(|_| is_publication(last.target.as_ref()))?;
    let name = target.title.as_deref().filter(|t| !t.is_empty()).unwrap_or(&target.id);
    Some(text::line(name).into_owned())
}

/// Whether a target is a topic or an application, on which something is published.
pub(super) fn is_publication(target: Option<&Target>) -> bool {
    target.is_some_and(|target| matches!(&*target.kind, "topic" | "application"))
}

/// Whether somebody did something to a target, which a sentence says.
fn is_action(kind: Kind, target: Option<&Target>) -> bool {
    kind == Kind::Reminder && !is_publication(target) && !is_entry(target)
}

/// The icon of a feed's entries.
pub(super) const ENTRY_ICON: &str = "rss";

/// Whether a target is an entry of a feed: its title says what it is, and nobody did anything to it.
pub(super) fn is_entry(target: Option<&Target>) -> bool {
    target.is_some_and(|target| target.kind == "entry")
}

fn announcement(ctx: &RenderContext<'_>, last: &ThreadPreview) -> RowText {
    let who = strings(ctx.lang).announcement.to_owned();
    let (what, snippet) = heading(&last.title, "", last);
    with_sentence(who.clone(), who, what, snippet, avatar::icon_avatar("megaphone"))
}

fn publication(by: &str, last: &ThreadPreview, icon: &str) -> RowText {
    let (what, snippet) = heading(&last.title, by, last);
    with_sentence(by.to_owned(), by.to_owned(), what, snippet, avatar::icon_avatar(icon))
}

fn message(ctx: &RenderContext<'_>, thread: &Thread) -> RowText {
    let last = &thread.preview;
    let conversation = last.conversation.as_deref().unwrap_or(&thread.key);
    let (mut what, snippet) = heading(&last.title, "", last);
    let (who, avatar, names_sender) = if let Some(group) = conversation.strip_prefix("group:") {
        let named = ctx.groups.get(&(ctx.source.id, group.to_owned()));
        let name = named.map_or(group, String::as_str).to_owned();
        (name, Avatar::Group { tint: avatar::tint(group) }, true)
    } else {
        let peer = conversation.strip_prefix("user:").unwrap_or(conversation);
        let actor = thread.actors.first().cloned();
        let actor = actor.unwrap_or_else(|| Actor { id: peer.to_owned(), name: peer.to_owned() });
        (name(&actor).to_owned(), avatar::people(&[actor]), false)
    };
    let table = strings(ctx.lang);
    let by = if last.own { Some(table.you) } else { names_sender.then(|| name(&last.actor)) };
    if let (Some(by), Some(first)) = (by, what.first_mut()) {
        first.text = (table.sender_and_text)(by, &first.text);
    }
    with_sentence(who.clone(), who, what, snippet, avatar)
}

fn reminder(ctx: &RenderContext<'_>, thread: &Thread) -> RowText {
    let last = &thread.preview;
    let own = [last.actor.clone()];
    let actors: &[Actor] = if thread.actors.is_empty() { &own } else { &thread.actors };
    let names: Vec<&str> = actors.iter().map(name).collect();
    let count = usize::try_from(thread.actor_count).unwrap_or(usize::MAX).max(1);
    let event = Event {
        actors: &names,
        actor_count: count,
        action: last.action.as_deref().unwrap_or_default(),
        target: last.target.as_ref(),
        title: &last.title,
        data: &last.data,
    };
    let sentence = sentence(ctx.language, ctx.catalog, ctx.source.user.as_deref(), &event);
    let what = sentence
        .without_actors()
        .into_iter()
        .map(|piece| match piece {
            Piece::Target(text) => Span { text, strong: true, found: false },
            Piece::Text(text) | Piece::Actors(text) => Span { text, strong: false, found: false },
        })
        .filter(|span| !span.text.is_empty())
        .collect();
    // A title that repeats the target says nothing more.
    let title = Some(last.title.as_str()).filter(|title| *title != event.target_name()).unwrap_or_default();
    // A text behind a warning is read only in the opened thread.
    let is_sensitive = last.data.get("sensitive").is_some_and(|sensitive| sensitive == true);
    let body = if last.body.is_empty() || is_sensitive { title } else { last.body.as_str() };
    let words = first_words(&names);
    RowText {
        who: template::actors(ctx.lang, &words, count),
        who_short: template::actors_short(ctx.lang, &words, count),
        what,
        snippet: emoji::before(&last.tags, &plain::line(body, last.format, MAX_SNIPPET_CHARS)),
        sentence: sentence.text(),
        avatar: avatar::people(actors),
    }
}

/// Several people by the first words of their names, if these differ. The sentence has their whole names.
fn first_words<'n>(names: &[&'n str]) -> Vec<&'n str> {
    let words: Vec<&str> = names.iter().map(|name| name.split_whitespace().next().unwrap_or(name)).collect();
    let differ = words.iter().collect::<BTreeSet<_>>().len() == words.len();
    if words.len() > 1 && differ { words } else { names.to_vec() }
}

/// The name of an actor, or its id if it has none.
pub(super) fn name(actor: &Actor) -> &str {
    if actor.name.is_empty() { &actor.id } else { &actor.name }
}

/// The title in medium weight with the body as snippet; the body alone if the title is empty or repeats `known`. What
/// comes first has the emoji of the tags before it.
fn heading(title: &str, known: &str, last: &ThreadPreview) -> (Vec<Span>, String) {
    let body = plain::line(&last.body, last.format, MAX_SNIPPET_CHARS);
    let title = plain::line(title, tidings_model::Format::Plain, MAX_SNIPPET_CHARS);
    if title.is_empty() || title == known {
        let only = if body.is_empty() { title } else { body };
        (vec![Span { text: emoji::before(&last.tags, &only), ..Span::default() }], String::new())
    } else {
        let title = emoji::before(&last.tags, &title);
        (vec![Span { text: title, strong: true, found: false }], body)
    }
}

fn with_sentence(
    who: String,
    who_short: String,
    what: Vec<Span>,
    snippet: String,
    avatar: Avatar,
) -> RowText {
    let line: String = what.iter().map(|span| span.text.as_str()).collect();
    let sentence = [who.as_str(), &line, &snippet]
        .into_iter()
        .filter(|part| !part.is_empty())
        .collect::<Vec<_>>()
        .join(": ");
    RowText { who, who_short, what, snippet, sentence, avatar }
}

/// Splits spans where a highlighted word or phrase begins and ends. Letter case is ignored.
fn highlight(spans: Vec<Span>, highlights: &[String]) -> Vec<Span> {
    let highlights: Vec<Vec<char>> = highlights
        .iter()
        .map(|highlight| highlight.trim().chars().map(fold).collect())
        .filter(|highlight: &Vec<char>| !highlight.is_empty())
        .collect();
    spans.into_iter().flat_map(|span| split(&span, &highlights)).collect()
}

fn split(span: &Span, highlights: &[Vec<char>]) -> Vec<Span> {
    let letters: Vec<char> = span.text.chars().collect();
    let folded: Vec<char> = letters.iter().copied().map(fold).collect();
    let mut hit = vec![false; letters.len()];
    for highlight in highlights {
        for (at, window) in folded.windows(highlight.len().max(1)).enumerate() {
            if window == highlight.as_slice() {
                hit.iter_mut().skip(at).take(highlight.len()).for_each(|h| *h = true);
            }
        }
    }
    let mut out: Vec<Span> = Vec::new();
    for (letter, is_hit) in letters.into_iter().zip(hit) {
        match out.last_mut() {
            Some(last) if last.found == is_hit => last.text.push(letter),
            _ => out.push(Span { text: letter.to_string(), strong: span.strong, found: is_hit }),
        }
    }
    out
}

#[cfg(test)]
#[path = "row_tests.rs"]
mod tests;
