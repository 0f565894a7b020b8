//! Renders an opened thread and its items for the reading pane. Only web and mail addresses pass.

use tidings_ipc::{AttachmentView, Avatar, Face, ItemView, Link, OverBudget, ThreadView};
use tidings_model::sentence::{self, Event};
use tidings_model::{Actor, Format, Kind, Lang, Notification, Stamp, template, text};
use tidings_replica::{Item, ItemPage, Source, Thread, ThreadPreview};
use tidings_strings::strings;
use url::Url;

use crate::addresses::linked;
use crate::budget::Budget;
use crate::buttons::offered;
use crate::context::RenderContext;
use crate::link::{external_url, web_url};
use crate::markdown::to_html;
use crate::question;
use crate::row::{self, name};
use crate::{avatar, emoji, plain};

/// The protocol of Tidings servers, whose catalogs have every action.
const TIDINGS: &str = "tidings";

/// The view of a thread with one page of its items, and the open questions before them.
pub fn thread(ctx: &RenderContext<'_>, thread: &Thread, page: &ItemPage, asking: &[Item]) -> ThreadView {
    let heading = title(ctx, thread);
    let mut budget = Budget::default();
    let asking = asking.iter().map(|i| item(ctx, i, &heading, &mut budget)).collect();
    // The newest items get the budget first.
    let newest_first = page.items.iter().rev().map(|i| item(ctx, i, &heading, &mut budget));
    let mut items: Vec<ItemView> = newest_first.collect();
    items.reverse();
    ThreadView {
        row: row::row(ctx, thread, &[]),
        facts: facts(ctx, thread),
        new_since: new_since(&page.items),
        earlier: page.earlier,
        later: page.later,
        earlier_faces: page.earlier_actors.iter().take(3).map(avatar::face).collect::<Vec<Face>>(),
        title: heading,
        items,
        asking,
        group_lines: Vec::new(),
        peer_read: None,
        composer: None,
        notify: tidings_ipc::NotifySettings::default(),
    }
}

/// The heading: the target's title, the peer, the group or the topic.
pub fn title(ctx: &RenderContext<'_>, thread: &Thread) -> String {
    let title = match thread.kind {
        Kind::Announcement => strings(ctx.lang).announcements.to_owned(),
        Kind::Message => row::row_text(ctx, thread).who,
        Kind::Reminder => row::topic(&thread.preview).unwrap_or_else(|| target(&thread.preview)),
    };
    text::line(&title).into_owned()
}

fn target(last: &ThreadPreview) -> String {
    let ThreadPreview { target, title, data, .. } = last;
    let event = Event { actors: &[], actor_count: 0, action: "", target: target.as_ref(), title, data };
    event.target_name().to_owned()
}

/// The facts under the heading: "Your article", "Work", "9 comments, 5 new". A conversation has no count of items.
fn facts(ctx: &RenderContext<'_>, thread: &Thread) -> Vec<String> {
    let table = strings(ctx.lang);
    let mut facts = Vec::new();
    if let Some(target) = &thread.preview.target
        && target.owner.is_some()
        && target.owner == ctx.source.user
        && target.kind != "topic"
    {
        let kind = template::target_type(ctx.lang, &target.kind);
        facts.push(text::line(&(table.yours)(&kind)).into_owned());
    }
    facts.push(source_name(ctx.source, ctx.lang));
    let action = match thread.kind {
        Kind::Announcement => Some("announcement"),
        Kind::Message => return facts,
        Kind::Reminder => thread.preview.action.as_deref(),
    };
    let mut count = (table.items)(action, thread.total);
    if thread.unread > 0 {
        count.push_str(if ctx.lang == tidings_model::Lang::ZhCn { "，" } else { ", " });
        count.push_str(&(table.new)(thread.unread));
    }
    facts.push(count);
    facts
}

/// The name of a source as the reader sees it; the own server's default is worded in `lang`.
pub fn source_name(source: &Source, lang: Lang) -> String {
    match source.name.as_str() {
        "" => strings(lang).this_computer.to_owned(),
        name => text::line(name).into_owned(),
    }
}

/// The time of the last item before the first unread one; `None` if all or none of the items are unread.
fn new_since(items: &[Item]) -> Option<i64> {
    let first = items.iter().position(|item| item.unread)?;
    let before = items.get(first.checked_sub(1)?)?;
    Some(before.notification.content_at().as_millis())
}

/// The link of a notification: its own, else its target's.
pub fn link_of(n: &Notification) -> Option<Link> {
    row::link(n.content.url.as_deref(), n.target.as_ref())
}

/// The view of one notification, with as much of its body as the page's budget leaves.
pub fn item(ctx: &RenderContext<'_>, item: &Item, heading: &str, budget: &mut Budget) -> ItemView {
    let n = &item.notification;
    let table = strings(ctx.lang);
    let topic = topic(n);
    let Body { text: body, html, keeps_lines, over_budget } = body(n, budget);
    let tags = emoji::split(&n.content.tags);
    ItemView {
        msgid: n.msgid.0.clone(),
        actor: actor(ctx, item, topic.as_deref()),
        avatar: avatar_of(n, topic.as_deref()),
        verb: text::line(&verb(ctx, n)).into_owned(),
        comment: n.kind == Kind::Reminder && n.action.as_deref() == Some("comment"),
        title: own_title(n, heading, topic.as_deref()),
        body,
        html,
        keeps_lines,
        plain_reason: over_budget
            .map(|why| table.plain_reason(why, n.content.format == Format::Markdown).to_owned()),
        time: n.content_at().as_millis(),
        unread: item.unread,
        archived: n.archived_at.is_some(),
        own: item.own,
        priority: n.content.priority.get(),
        emoji: tags.emoji,
        tags: tags.others,
        more_tags: (tags.more > 0).then(|| u32::try_from(tags.more).unwrap_or(u32::MAX)),
        icon: row::icon(n.content.icon.as_deref(), n.conversation.as_deref()),
        url: n.content.url.as_deref().and_then(external_url).map(Url::into),
        attachment: attachment(n),
        actions: offered(n).map(|(view, _)| view).collect(),
        receipt: n.receipt,
        pending: item.pending,
        changeable: is_changeable(item, ctx.source),
        edited: n.revised_at.filter(|_| n.kind != Kind::Reminder).map(Stamp::as_millis),
        question: question::view(ctx, item),
    }
}

/// Whether the reader published an item at a server that lets it be edited and taken back.
pub fn is_changeable(item: &Item, source: &Source) -> bool {
    item.own && !item.notification.deleted && source.protocol == "tidings"
}

/// The sender of an item, followed by its own title if it has one besides the thread's `heading`.
pub fn sender(ctx: &RenderContext<'_>, item: &Item, heading: &str) -> String {
    let topic = topic(&item.notification);
    let actor = actor(ctx, item, topic.as_deref());
    match own_title(&item.notification, heading, topic.as_deref()) {
        title if title.is_empty() => actor,
        title => format!("{actor}: {title}"),
    }
}

fn actor(ctx: &RenderContext<'_>, item: &Item, topic: Option<&str>) -> String {
    let (n, table) = (&item.notification, strings(ctx.lang));
    match n.kind {
        _ if item.own => table.you.to_owned(),
        Kind::Announcement => table.announcement.to_owned(),
        _ => text::line(topic.unwrap_or_else(|| name(&n.actor))).into_owned(),
    }
}

/// The item's own title; empty if it repeats the thread's `heading` or the topic.
fn own_title(n: &Notification, heading: &str, topic: Option<&str>) -> String {
    let title = text::line(&n.content.title);
    if title == heading || topic == Some(&*title) {
        String::new()
    } else {
        plain::line(&n.content.title, Format::Plain, 1_000)
    }
}

struct Body {
    text: String,
    html: bool,
    keeps_lines: bool,
    over_budget: Option<OverBudget>,
}

/// The body: HTML if it is Markdown within the budget, or has addresses that become links; else plain text.
fn body(n: &Notification, budget: &mut Budget) -> Body {
    let (shown, cut) = budget.cut(&n.content.body);
    if n.content.format != Format::Markdown || shown.is_empty() || cut.is_some() {
        return plain_body(shown, cut, budget);
    }
    match to_html(shown, budget) {
        Ok(text) => Body { text, html: true, keeps_lines: false, over_budget: None },
        Err(over_budget) => plain_body(shown, Some(over_budget), budget),
    }
}

/// Whether the body of a notification, as it is laid out, has a box for a remote image at this address.
pub fn offers_image(n: &Notification, address: &Url) -> bool {
    let body = body(n, &mut Budget::default());
    // Of what an attribute escapes, an address can have nothing else.
    body.html && body.text.contains(&format!("data-image=\"{}\"", address.as_str().replace('&', "&amp;")))
}

fn plain_body(shown: &str, over_budget: Option<OverBudget>, budget: &mut Budget) -> Body {
    let text = text::block(shown);
    match linked(&text, budget) {
        Some(html) => Body { text: html, html: true, keeps_lines: true, over_budget },
        None => Body { text: text.into_owned(), html: false, keeps_lines: false, over_budget },
    }
}

fn topic(n: &Notification) -> Option<String> {
    row::topic(&ThreadPreview { target: n.target.clone(), ..ThreadPreview::default() })
}

fn avatar_of(n: &Notification, topic: Option<&str>) -> Avatar {
    match (n.kind, topic) {
        (Kind::Announcement, _) => avatar::icon_avatar("megaphone"),
        (_, Some(topic)) => avatar::icon_avatar(avatar::topic_icon(topic)),
        _ if row::is_entry(n.target.as_ref()) => avatar::icon_avatar(row::ENTRY_ICON),
        _ => avatar::people(std::slice::from_ref::<Actor>(&n.actor)),
    }
}

/// The words after the name: to whom the target belongs the sentence that says so, "commented on your article"; else a
/// verb. An action without a known verb has the words of a Tidings server's catalog, else its id.
fn verb(ctx: &RenderContext<'_>, n: &Notification) -> String {
    let (Some(action), Kind::Reminder) = (&n.action, n.kind) else { return String::new() };
    let event = Event {
        actors: &[name(&n.actor)],
        actor_count: 1,
        action,
        target: n.target.as_ref(),
        title: &n.content.title,
        data: &n.content.data,
    };
    let user = ctx.source.user.as_deref();
    // The pane's heading has the target.
    if let Some(own) = sentence::own_without_target(ctx.language, ctx.catalog, user, &event) {
        return own.after_actors();
    }
    match strings(ctx.lang).verb(action) {
        Some(verb) => verb,
        None if ctx.source.protocol == TIDINGS && ctx.catalog.actions.contains_key(action) => {
            sentence::sentence(ctx.language, ctx.catalog, user, &event).after_actors()
        }
        None => action.clone(),
    }
}

fn attachment(n: &Notification) -> Option<AttachmentView> {
    let file = n.content.attachment.as_ref()?;
    let (url, _) = web_url(&file.url)?;
    Some(AttachmentView {
        name: plain::line(&file.name, Format::Plain, 200),
        url: url.into(),
        size: file.size,
        media: file.media.as_deref().map(|media| text::line(media).into_owned()),
    })
}

#[cfg(test)]
#[path = "item_tests.rs"]
mod tests;
