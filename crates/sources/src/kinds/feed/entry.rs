//! The entries of a feed as items of the inbox.

use std::collections::{HashMap, HashSet};

use chrono::{DateTime, Utc};
use feed_rs::model::{self, Feed, FeedType, Link, Text};
use percent_encoding::percent_decode_str;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};
use tidings_model::{Actor, Attachment, Content, Format, MsgId, Stamp, Target, text};
use tidings_replica::ServiceItem;
use tidings_sandbox::marks;
use url::Url;

use crate::markup::{is_html, to_markdown, to_text, web_address};

/// The most characters of a msgid.
const MAX_MSGID_CHARS: usize = 64;
/// The most bytes of a title, a name or a category.
const MAX_NAME_BYTES: usize = 1_000;
/// The most characters of a text that stands for a missing title.
const MAX_EXCERPT_CHARS: usize = 100;
/// The most bytes of a body.
const MAX_BODY_BYTES: usize = 120 << 10;
/// The most bytes of all entries; what is beyond them is left out. Feeds list new entries first.
pub(super) const MAX_ENTRIES_BYTES: usize = 24 << 20;
/// What an entry takes besides its body, in bytes.
const ENTRY_BYTES: usize = 512;
/// The most authors and categories of an entry.
const MAX_NAMED: usize = 10;

/// An entry with the times that it says of itself. Its content is read for the page on which it is returned: as JSON it
/// takes less memory.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Entry<C = Content> {
    pub(super) msgid: MsgId,
    pub(super) content: C,
    pub(super) published: Option<DateTime<Utc>>,
    pub(super) updated: Option<DateTime<Utc>>,
}

impl Entry<Box<RawValue>> {
    /// The item of the entry.
    pub(super) fn item(&self, actor: Actor, at: Stamp) -> Option<ServiceItem> {
        let content = serde_json::from_str(self.content.get()).ok()?;
        Some(item(self.msgid.clone(), actor, at, content))
    }
}

/// The title of a feed, or its host if it has none.
pub(super) fn title(feed: &Feed, at: &Url) -> String {
    let title = feed.title.as_ref().map(|title| line(title, is_rss(&feed.feed_type))).unwrap_or_default();
    if title.is_empty() { at.host_str().unwrap_or_default().to_owned() } else { title }
}

/// The entries of a feed, in its order, each once.
pub(super) fn entries(feed: Feed, title: &str, at: &Url) -> Vec<Entry> {
    let icon = icon(&feed, at);
    let mut bytes = 0;
    let mut named: HashMap<String, u32> = HashMap::new();
    for entry in &feed.entries {
        *named.entry(name_of(entry, &feed.feed_type, at)).or_default() += 1;
    }
    let mut taken = HashSet::new();
    let kind = feed.feed_type;
    let mut entries = Vec::with_capacity(feed.entries.len());
    for entry in feed.entries {
        let name = name_of(&entry, &kind, at);
        let is_shared = named.get(&name).is_some_and(|count| *count > 1);
        let content = Content { icon: icon.clone(), ..content(&entry, &kind, title, at) };
        bytes += content.body.len() + ENTRY_BYTES;
        if bytes > MAX_ENTRIES_BYTES {
            break;
        }
        let msgid = msgid(&name, is_shared, &content);
        if taken.insert(msgid.clone()) {
            let (published, updated) = (entry.published, entry.updated);
            entries.push(Entry { msgid, content, published, updated });
        }
    }
    entries
}

/// Who announces the entries of a feed.
pub(super) fn actor(title: &str, at: &Url) -> Actor {
    Actor { id: at.host_str().unwrap_or_default().to_owned(), name: title.to_owned() }
}

fn item(msgid: MsgId, actor: Actor, at: Stamp, content: Content) -> ServiceItem {
    let title =
        Some(content.title.clone()).filter(|title| !title.is_empty()).unwrap_or_else(|| excerpt(&content));
    let target = Target {
        kind: "entry".to_owned(),
        id: msgid.as_str().to_owned(),
        title: Some(title),
        url: content.url.clone(),
        owner: None,
    };
    let thread = format!("entry:{msgid}#publish");
    ServiceItem {
        action: Some("publish".to_owned()),
        target: Some(target),
        content,
        // A correction; what is new in a feed is a new entry.
        news: false,
        ..ServiceItem::new(msgid, at, thread, actor)
    }
}

/// The id that an entry has, else its address; empty if it has neither.
fn name_of(entry: &model::Entry, kind: &FeedType, at: &Url) -> String {
    match entry.id.trim() {
        "" => address(entry, kind, at).map(String::from).unwrap_or_default(),
        id => id.to_owned(),
    }
}

/// The msgid: the entry's name, hashed if it is long. Entries that share a name, or have none, are distinguished by
/// their titles, and without titles by their texts.
fn msgid(name: &str, is_shared: bool, content: &Content) -> MsgId {
    if name.is_empty() || is_shared {
        let apart = if content.title.is_empty() { &content.body } else { &content.title };
        return MsgId(digest(format!("{name}\n{apart}")));
    }
    let fits =
        name.chars().count() <= MAX_MSGID_CHARS && !name.chars().any(|c| c.is_control() || c.is_whitespace());
    MsgId(if fits { name.to_owned() } else { digest(name) })
}

fn content(entry: &model::Entry, kind: &FeedType, feed: &str, at: &Url) -> Content {
    let url = address(entry, kind, at);
    // Links in an entry are relative to the place that the entry names, or to its own page.
    let base = entry.base.as_deref().and_then(|base| web_address(base, Some(at)));
    let (body, format) = body(entry, kind, base.as_ref().or(url.as_ref()).unwrap_or(at));
    Content {
        title: entry.title.as_ref().map(|title| line(title, is_rss(kind))).unwrap_or_default(),
        body,
        format,
        url: url.map(String::from),
        attachment: attachment(entry, kind, at),
        data: data(entry, feed),
        ..Content::default()
    }
}

/// The address of an entry's page.
fn address(entry: &model::Entry, kind: &FeedType, at: &Url) -> Option<Url> {
    let is_page = |link: &&Link| match kind {
        // The page comes first; attachments have a type.
        FeedType::JSON => link.media_type.is_none(),
        _ => link.target.is_none() && matches!(link.rel.as_deref(), None | Some("alternate")),
    };
    let named = entry.links.iter().filter(is_page).find_map(|link| web_address(&link.href, Some(at)));
    named.or_else(|| web_address(&entry.id, None))
}

/// The full text if the feed has it, else the summary, else what the entry's media say.
fn body(entry: &model::Entry, kind: &FeedType, base: &Url) -> (String, Format) {
    let full = entry.content.as_ref().and_then(|content| {
        let body = content.body.as_deref().filter(|body| !body.trim().is_empty())?;
        let media = content.content_type.as_str();
        if ["text/html", "application/xhtml"].iter().any(|html| media.starts_with(html)) {
            return Some(hypertext(body, base));
        }
        media.starts_with("text/").then(|| plain(body))
    });
    let summary = || {
        let summary = entry.summary.as_ref().filter(|summary| !summary.content.trim().is_empty())?;
        let is_plain = summary.content_type.as_str() == "text/plain" && !is_rss(kind);
        Some(if is_plain { plain(&summary.content) } else { hypertext(&summary.content, base) })
    };
    let of_media =
        || entry.media.iter().find_map(|media| media.description.as_ref()).map(|said| plain(&said.content));
    full.or_else(summary).or_else(of_media).unwrap_or_default()
}

/// A text that is HTML or, without any tag of it, plain text with HTML's names of characters.
fn hypertext(html: &str, base: &Url) -> (String, Format) {
    if is_html(html) {
        return (to_markdown(html, Some(base)), Format::Markdown);
    }
    let lines: Vec<String> = text::cut(html.trim(), MAX_BODY_BYTES).lines().map(to_text).collect();
    (lines.join("\n"), Format::Plain)
}

fn plain(body: &str) -> (String, Format) {
    (text::block(text::cut(body.trim(), MAX_BODY_BYTES)).into_owned(), Format::Plain)
}

/// A title or name in one line.
fn line(named: &Text, is_rss: bool) -> String {
    let is_plain = named.content_type.as_str() == "text/plain" && !is_rss;
    let content = text::cut(&named.content, 4 * MAX_NAME_BYTES);
    let shown = if is_plain { in_one_line(content) } else { to_text(content) };
    text::cut(&text::line(&shown), MAX_NAME_BYTES).trim().to_owned()
}

fn in_one_line(content: &str) -> String {
    content.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The beginning of the body, for an entry without a title.
fn excerpt(content: &Content) -> String {
    let mut parts = text::cut(&content.body, 8 * MAX_EXCERPT_CHARS).split("](");
    let mut shown = parts.next().unwrap_or_default().to_owned();
    // Titles show no markup and no addresses of links.
    parts.for_each(|part| shown.push_str(part.split_once(')').map_or("", |(_, after)| after)));
    let shown = in_one_line(&shown).replace(['*', '_', '`', '#', '<', '>', '\\', '[', ']'], "");
    let mut excerpt: String = shown.trim().chars().take(MAX_EXCERPT_CHARS).collect();
    if excerpt.len() < shown.trim().len() {
        excerpt.push('…');
    }
    excerpt
}

/// The picture of a feed, else the address at which its site has one. An icon that the site's page names is looked for
/// when the icon is wanted.
fn icon(feed: &Feed, at: &Url) -> Option<String> {
    let named =
        [&feed.icon, &feed.logo].into_iter().flatten().find_map(|image| web_address(&image.uri, Some(at)));
    let of_site = || {
        let is_site = |link: &&Link| matches!(link.rel.as_deref(), None | Some("alternate"));
        let site = feed.links.iter().filter(is_site).find_map(|link| web_address(&link.href, Some(at)));
        site.unwrap_or_else(|| at.clone()).join("favicon.ico").ok()
    };
    named.or_else(of_site).map(String::from)
}

/// The file of an entry, such as the sound of a podcast; a picture only if there is no other.
fn attachment(entry: &model::Entry, kind: &FeedType, at: &Url) -> Option<Attachment> {
    let is_file = |link: &&Link| match kind {
        FeedType::JSON => link.media_type.is_some(),
        _ => link.rel.as_deref() == Some("enclosure"),
    };
    let linked =
        entry.links.iter().filter(is_file).filter_map(|link| {
            Some((web_address(&link.href, Some(at))?, link.media_type.clone(), link.length))
        });
    let media = entry.media.iter().flat_map(|media| &media.content).filter_map(|file| {
        let media_type = file.content_type.as_ref().map(|media| media.as_str().to_owned());
        Some((web_address(file.url.as_ref()?.as_str(), None)?, media_type, file.size))
    });
    // Video sites name a player in place of a file.
    let is_player =
        |media: Option<&String>| media.is_some_and(|media| media == "application/x-shockwave-flash");
    let files: Vec<_> =
        linked.chain(media).filter(|(_, media, _)| !is_player(media.as_ref())).take(MAX_NAMED).collect();
    let is_picture = |media: &Option<String>| media.as_ref().is_some_and(|media| media.starts_with("image/"));
    let (url, media, size) =
        files.iter().find(|(_, media, _)| !is_picture(media)).or_else(|| files.first())?.clone();
    Some(Attachment {
        name: file_name(&url),
        url: url.into(),
        media: media.map(|media| text::cut(&media, MAX_NAME_BYTES).to_owned()),
        // Some feeds say 0 if they don't know.
        size: size.filter(|size| *size > 0),
        expires: None,
    })
}

fn file_name(url: &Url) -> String {
    let last = url.path_segments().and_then(|mut segments| segments.next_back()).unwrap_or_default();
    let name = percent_decode_str(last).decode_utf8_lossy();
    let name = text::cut(name.trim(), MAX_NAME_BYTES);
    if name.is_empty() { url.host_str().unwrap_or_default().to_owned() } else { name.to_owned() }
}

fn data(entry: &model::Entry, feed: &str) -> Map<String, Value> {
    let cut = |name: &str| text::cut(&in_one_line(name), MAX_NAME_BYTES).to_owned();
    let authors = entry.authors.iter().filter_map(|person| person.name.as_deref()).map(cut);
    let mut authors: Vec<String> =
        authors.filter(|name| !name.is_empty() && name != feed).take(MAX_NAMED).collect();
    authors.dedup();
    let categories =
        entry.categories.iter().map(|category| cut(category.label.as_deref().unwrap_or(&category.term)));
    let categories: Vec<String> = categories.filter(|name| !name.is_empty()).take(MAX_NAMED).collect();
    let mut data = Map::new();
    if !authors.is_empty() {
        data.insert("author".to_owned(), json!(authors.join(", ")));
    }
    if !categories.is_empty() {
        data.insert("categories".to_owned(), json!(categories));
    }
    data
}

/// A short text that differs if the bytes differ.
pub(super) fn digest(bytes: impl AsRef<[u8]>) -> String {
    marks::digest([bytes.as_ref()])
}

/// Whether a feed is one in which titles and descriptions are HTML, whatever their type says.
fn is_rss(kind: &FeedType) -> bool {
    matches!(kind, FeedType::RSS0 | FeedType::RSS1 | FeedType::RSS2)
}
