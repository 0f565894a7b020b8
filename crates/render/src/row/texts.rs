//! The texts of a row: its two lines, the snippet, and the sentence for a screen reader.

use std::collections::BTreeSet;

use tidings_ipc::{Avatar, Span};
use tidings_model::sentence::{Event, sentence};
use tidings_model::{Actor, Kind, Piece, template, text};
use tidings_replica::{Thread, ThreadPreview};
use tidings_strings::strings;

use super::super::context::RenderContext;
use super::super::{avatar, emoji, plain};
use super::{ENTRY_ICON, MAX_SNIPPET_CHARS, is_action, is_entry, name, topic};

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
            Some(name) => publication(ctx, &name, &thread.preview, avatar::topic_icon(&name)),
            None if is_entry(thread.preview.target.as_ref()) => {
                publication(ctx, name(&thread.preview.actor), &thread.preview, ENTRY_ICON)
            }
            None => reminder(ctx, thread),
        },
    }
}

fn announcement(ctx: &RenderContext<'_>, last: &ThreadPreview) -> RowText {
    let who = strings(ctx.lang).announcement.to_owned();
    let (what, snippet) = heading(&last.title, "", last);
    with_sentence(ctx, who.clone(), who, what, snippet, avatar::icon_avatar("megaphone"))
}

fn publication(ctx: &RenderContext<'_>, by: &str, last: &ThreadPreview, icon: &str) -> RowText {
    let (what, snippet) = heading(&last.title, by, last);
    with_sentence(ctx, by.to_owned(), by.to_owned(), what, snippet, avatar::icon_avatar(icon))
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
    with_sentence(ctx, who.clone(), who, what, snippet, avatar)
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
    ctx: &RenderContext<'_>,
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
        .map(str::to_owned)
        .reduce(|before, part| (strings(ctx.lang).sender_and_text)(&before, &part))
        .unwrap_or_default();
    RowText { who, who_short, what, snippet, sentence, avatar }
}
