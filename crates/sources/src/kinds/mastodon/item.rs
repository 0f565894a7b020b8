//! A notification as an item of the inbox.

use serde_json::{Map, Value, json};
use tidings_model::{Actor, Attachment, Content, Format, Stamp, Target, text};
use tidings_replica::ServiceItem;
use url::Url;

use super::api::{Account, Media, Notification, Poll, Status};
use super::catalog::action;
use crate::markup::{to_markdown, to_text, web_address};

/// The most characters of a post that stand for it.
const MAX_EXCERPT_CHARS: usize = 100;
/// The most bytes of a name, a description or a comment.
const MAX_TEXT_BYTES: usize = 4 << 10;
/// The most files of a post and choices of a poll.
const MAX_PARTS: usize = 20;

/// What the items of an instance have in common.
pub(super) struct ItemContext<'a> {
    pub(super) base: &'a Url,
    pub(super) me: &'a Account,
    /// The time of one that has none.
    pub(super) now: Stamp,
}

/// The item of a notification. Those of one type about one post, and the follows of one day, share a thread.
pub(super) fn item(notification: &Notification, context: &ItemContext<'_>) -> ServiceItem {
    let action = action(&notification.kind);
    let created_at = notification.created_at.parse().unwrap_or(context.now);
    let target = target(notification, action, context);
    let thread = thread(notification, action, &target, created_at);
    let content = content(notification, action, context);
    let actor = notification.account.as_ref().unwrap_or(context.me);
    let actor = Actor { id: actor.id.clone(), name: cut(actor.name()) };
    ServiceItem {
        action: Some(action.to_owned()),
        target: Some(target),
        content,
        // An edited post changes the text of an earlier notification, and has a notification of its own.
        news: false,
        ..ServiceItem::new(&*notification.id, created_at, thread, actor)
    }
}

fn thread(notification: &Notification, action: &str, target: &Target, at: Stamp) -> String {
    let key = format!("{}:{}#{action}", target.kind, target.id);
    match action {
        // Otherwise all followers of all times would be one thread.
        "follow" | "admin.sign_up" => format!("{key}@{}", at.to_datetime().format("%Y-%m-%d")),
        _ if notification.status.is_some() || action == "follow_request" => key,
        _ => format!("{key}@{}", notification.id),
    }
}

fn target(notification: &Notification, action: &str, context: &ItemContext<'_>) -> Target {
    if let Some(status) = &notification.status {
        return Target {
            kind: "post".to_owned(),
            id: cut_id(&status.id),
            title: Some(name_of(status)),
            url: address(status),
            owner: status.account.as_ref().map(|account| account.id.clone()),
        };
    }
    let instance = || Target {
        kind: "instance".to_owned(),
        id: cut_id(context.base.host_str().unwrap_or_default()),
        title: context.base.host_str().map(str::to_owned),
        url: Some(context.base.to_string()),
        owner: None,
    };
    let reported = notification.report.as_ref().and_then(|report| report.target_account.as_ref());
    match (action, &notification.account, reported, &notification.event) {
        ("admin.report", _, Some(reported), _) => account(reported),
        ("admin.sign_up", ..) => instance(),
        ("severed_relationships", _, _, Some(event)) if !event.target_name.is_empty() => {
            Target { title: Some(cut(&event.target_name)), ..instance() }
        }
        ("follow_request" | "move", Some(actor), ..) => account(actor),
        _ => account(context.me),
    }
}

fn account(account: &Account) -> Target {
    Target {
        kind: "account".to_owned(),
        id: cut_id(&account.id),
        title: Some(cut(&format!("@{}", account.acct))),
        url: web_address(&account.url, None).map(String::from),
        owner: Some(account.id.clone()),
    }
}

fn content(notification: &Notification, action: &str, context: &ItemContext<'_>) -> Content {
    let actor = notification.account.as_ref();
    let icon = actor.and_then(|actor| {
        web_address(&actor.avatar_static, Some(context.base))
            .or_else(|| web_address(&actor.avatar, Some(context.base)))
    });
    let of_account = actor.and_then(|actor| web_address(&actor.url, Some(context.base)));
    let mut content = Content {
        url: notification.status.as_ref().and_then(address).or_else(|| of_account.map(String::from)),
        icon: icon.map(String::from),
        format: Format::Markdown,
        data: data(notification),
        ..Content::default()
    };
    match (&notification.status, action) {
        // The post is one's own; its beginning is the target.
        (Some(_), "favourite" | "reblog" | "reaction") => {}
        (Some(status), _) => write_post(status, context.base, &mut content),
        (None, "follow" | "follow_request" | "admin.sign_up") => {
            content.body =
                actor.map(|actor| to_markdown(&actor.note, Some(context.base))).unwrap_or_default();
        }
        (None, _) => {
            let comment = notification.report.as_ref().map(|report| &report.comment);
            let warning = notification.moderation_warning.as_ref().map(|warning| &warning.text);
            content.format = Format::Plain;
            content.body = comment
                .or(warning)
                .map(|said| text::cut(said.trim(), MAX_TEXT_BYTES).to_owned())
                .unwrap_or_default();
        }
    }
    content
}

/// Writes a post into a content: its warning as the title, its text and its poll as the body, its first file as the
/// attachment.
fn write_post(status: &Status, base: &Url, content: &mut Content) {
    content.title = warning(status);
    content.body = to_markdown(&status.content, Some(base));
    let mut write = |part: &str| {
        if !content.body.is_empty() {
            content.body.push_str("\n\n");
        }
        content.body.push_str(part);
    };
    if let Some(poll) = status.poll.as_ref().filter(|poll| !poll.options.is_empty()) {
        write(&results(poll));
    }
    let mut files = status.media_attachments.iter().flatten().take(MAX_PARTS);
    let first = files.next();
    for file in files {
        if let Some(url) = web_address(&file.url, Some(base)) {
            let said = cut(&file.description).replace(['[', ']', '\\', '`', '<', '*', '_', '&', '!'], " ");
            let url = url.as_str().replace('(', "%28").replace(')', "%29");
            write(&format!("![{}]({url})", said.trim()));
        }
    }
    content.attachment = first.and_then(|file| attachment(file, base));
}

/// The choices of a poll, each with its share of the votes.
fn results(poll: &Poll) -> String {
    let votes = |count: Option<u64>| count.unwrap_or_default();
    let sum: u64 = poll.options.iter().fold(0, |sum, choice| sum.saturating_add(votes(choice.votes_count)));
    let line = |choice: &super::api::Choice| {
        let share = u128::from(votes(choice.votes_count)) * 100 / u128::from(sum.max(1));
        let title = to_markdown(&cut(&choice.title).replace('&', "&amp;").replace('<', "&lt;"), None);
        format!("- {title}: {share} %")
    };
    poll.options.iter().take(MAX_PARTS).map(line).collect::<Vec<_>>().join("\n")
}

fn attachment(file: &Media, base: &Url) -> Option<Attachment> {
    let url = web_address(&file.url, Some(base))?;
    let path = url.path_segments().and_then(|mut segments| segments.next_back()).unwrap_or_default();
    let description = cut(&file.description);
    let name =
        [description.as_str(), path, &file.kind].into_iter().find(|name| !name.trim().is_empty())?.to_owned();
    Some(Attachment { name, url: url.into(), media: None, size: None, expires: None })
}

/// The warning under which a post's content is hidden.
fn warning(status: &Status) -> String {
    cut(&status.spoiler_text)
}

/// A few words that stand for a post: its warning, the beginning of its text, what its first file shows.
fn name_of(status: &Status) -> String {
    let warning = warning(status);
    if !warning.is_empty() {
        return warning;
    }
    let file = status.media_attachments.iter().flatten().next();
    let described = file.map(|file| cut(&file.description)).unwrap_or_default();
    let said = [to_text(&status.content), described].into_iter().find(|said| !said.is_empty());
    let Some(said) = said else {
        let sign = match file.map(|file| file.kind.as_str()) {
            Some("video" | "gifv") => "🎞️",
            Some("audio") => "🎵",
            Some(_) => "🖼️",
            None => "…",
        };
        return sign.to_owned();
    };
    let mut name: String = said.chars().take(MAX_EXCERPT_CHARS).collect();
    if name.len() < said.len() {
        name.push('…');
    }
    name
}

/// The address of a post's page.
fn address(status: &Status) -> Option<String> {
    web_address(&status.url, None).or_else(|| web_address(&status.uri, None)).map(String::from)
}

fn data(notification: &Notification) -> Map<String, Value> {
    let mut data = Map::new();
    let mut write = |name: &str, value: Value| data.insert(name.to_owned(), value);
    if let Some(actor) = &notification.account {
        write("acct", json!(cut(&actor.acct)));
        if actor.bot == Some(true) {
            write("bot", json!(true));
        }
    }
    if let Some(status) = &notification.status {
        // Lists and toasts show the warning only.
        if !warning(status).is_empty() {
            write("sensitive", json!(true));
        }
        if !status.visibility.is_empty() {
            write("visibility", json!(cut(&status.visibility)));
        }
    }
    if !notification.emoji.is_empty() {
        write("emoji", json!(cut(&notification.emoji)));
    }
    data
}

fn cut(said: &str) -> String {
    text::cut(&text::line(said.trim()), MAX_TEXT_BYTES).to_owned()
}

/// An id of a target: at most 256 bytes.
fn cut_id(id: &str) -> String {
    text::cut(id, 256).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_automated_account_is_a_bot() {
        let (base, me) = (Url::parse("https://m.example/").unwrap(), Account::default());
        let context = ItemContext { base: &base, me: &me, now: "2026-11-20T06:00:00Z".parse().unwrap() };
        for (said, is_bot) in [(json!(true), true), (json!(false), false), (json!(null), false)] {
            let account = json!({"id": "7", "acct": "weather", "bot": said});
            let follow = json!({"id": "1", "type": "follow", "account": account});
            let item = item(&serde_json::from_value(follow).unwrap(), &context);
            assert_eq!(item.content.data.contains_key("bot"), is_bot, "{said}");
        }
    }
}
