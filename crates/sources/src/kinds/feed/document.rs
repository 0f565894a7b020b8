//! Reads the document of a feed, or the link to a feed in a page of the web. Runs in a child process, see
//! [`super::apart`].

use std::panic::{AssertUnwindSafe, catch_unwind};

use feed_rs::model::Link;
use feed_rs::parser::{Builder, ParseFeedError};
use serde::{Deserialize, Serialize};
use tidings_model::Content;
use url::Url;

use super::charset;
use super::entry::{self, Entry, digest};
use super::guard::{self, Excess, MAX_ENTRIES};
use crate::markup;
use crate::service::json;

/// The number of bytes at the beginning of a document in which a page says that it is HTML.
const SNIFFED_BYTES: usize = 2 << 10;
/// The longest address that is the base of those in a feed: each element has a copy of it.
const MAX_BASE_BYTES: usize = 2 << 10;
/// The most bytes of an element that is left out.
const MAX_DETAIL_BYTES: usize = 1 << 10;
/// Elements that name people or durations, and that say nothing about which entry they belong to.
const DETAILS: [&[u8]; 6] = [b"author", b"creator", b"managingEditor", b"webMaster", b"owner", b"duration"];

/// The contents of a document.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum Contents<C = Content> {
    /// A feed.
    Feed(Parsed<C>),
    /// A page of the web, with the address of the feed that it names.
    Page(Option<String>),
}

/// A feed.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Parsed<C = Content> {
    pub(super) title: String,
    /// The minutes for which the feed says that it may be kept.
    pub(super) ttl: Option<u32>,
    /// Differs if the document differs.
    pub(super) digest: String,
    /// The entries in the order of the document.
    pub(super) entries: Vec<Entry<C>>,
}

/// Why a document can't be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Unreadable {
    /// It is neither a feed nor a page of the web.
    Malformed(Reason),
    /// It has too much of something.
    Excess(Excess),
}

/// What is wrong with a document: the kind of error, and no text of the document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Reason {
    /// It is of another form.
    NoFeed,
    /// Its bytes are no text.
    Characters,
    /// It is JSON, but no JSON Feed.
    Json,
    /// It is no XML.
    Xml,
    /// The library panicked.
    Panic,
}

/// What was read of a document. The document itself is needed no more.
pub(super) enum Read {
    Feed { feed: Box<feed_rs::model::Feed>, digest: String },
    Page(Option<String>),
}

impl Read {
    /// The contents of the document, which was at `at`.
    pub(super) fn contents(self, at: &Url) -> Contents {
        match self {
            Self::Feed { feed, digest } => {
                let (title, ttl) = (entry::title(&feed, at), feed.ttl);
                let entries = entry::entries(*feed, &title, at);
                Contents::Feed(Parsed { title, ttl, digest, entries })
            }
            Self::Page(named) => Contents::Page(named),
        }
    }
}

/// Reads a document from `at`. `charset` is the one that its answer named.
pub(super) fn read(body: &[u8], charset: Option<&str>, at: &Url) -> Result<Read, Unreadable> {
    let text = charset::decode(body, charset);
    if is_page(text.as_bytes()) {
        return Ok(Read::Page(markup::feed_address(&text, at).map(String::from)));
    }
    if is_json(&text) {
        if !json::is_bounded(text.as_bytes()) {
            return Err(Unreadable::Excess(Excess::Number));
        }
    } else {
        guard::check(&text).map_err(Unreadable::Excess)?;
    }
    Ok(Read::Feed { feed: Box::new(parse(text.as_bytes(), at)?), digest: digest(body) })
}

/// Whether a document says at its beginning that it is HTML, and not that it is a feed, whose texts may say so, too.
fn is_page(body: &[u8]) -> bool {
    let head = body.get(..SNIFFED_BYTES).unwrap_or(body).to_ascii_lowercase();
    let first = |marks: &[&[u8]]| marks.iter().filter_map(|mark| find(&head, mark)).min();
    let of_feed = first(&[b"<rss", b"<feed", b"<rdf", b"{"]).unwrap_or(usize::MAX);
    first(&[b"<!doctype html", b"<html"]).is_some_and(|of_page| of_page < of_feed)
}

/// Whether the library reads a document as JSON.
fn is_json(text: &str) -> bool {
    text.bytes().find(|byte| matches!(byte, b'<' | b'{')) == Some(b'{')
}

fn parse(body: &[u8], at: &Url) -> Result<feed_rs::model::Feed, Unreadable> {
    let mut feed = match try_parse(body, at) {
        Some(feed) => feed,
        // The library panics on some names of people and on some durations.
        None => try_parse(&without_details(body), at).ok_or(Unreadable::Malformed(Reason::Panic))?,
    }
    .map_err(|error| Unreadable::Malformed(reason(&error)))?;
    feed.entries.truncate(MAX_ENTRIES);
    Ok(feed)
}

/// Parses a document; `None` if the parser panicked.
fn try_parse(body: &[u8], at: &Url) -> Option<Result<feed_rs::model::Feed, ParseFeedError>> {
    // Ids are made of what the document says, and never random.
    let no_id = |_: &[Link], _: &Option<feed_rs::model::Text>, _: Option<&str>| String::new();
    let base = Some(at.as_str()).filter(|base| base.len() <= MAX_BASE_BYTES);
    let parser = Builder::new().base_uri(base).sanitize_content(false).id_generator(no_id).build();
    catch_unwind(AssertUnwindSafe(|| parser.parse(body))).ok()
}

fn reason(error: &ParseFeedError) -> Reason {
    match error {
        ParseFeedError::ParseError(_) => Reason::NoFeed,
        ParseFeedError::IoError(_) => Reason::Characters,
        ParseFeedError::JsonSerde(_) | ParseFeedError::JsonUnsupportedVersion(_) => Reason::Json,
        ParseFeedError::XmlReader(_) => Reason::Xml,
    }
}

/// The document without the elements in [`DETAILS`].
fn without_details(body: &[u8]) -> Vec<u8> {
    let mut kept = Vec::with_capacity(body.len());
    let mut rest = body;
    while let Some(at) = rest.iter().position(|byte| *byte == b'<') {
        let (before, tag) = rest.split_at(at);
        kept.extend_from_slice(before);
        let end = end_of_detail(tag).unwrap_or_else(|| {
            kept.push(b'<');
            1
        });
        rest = tag.get(end..).unwrap_or_default();
    }
    kept.extend_from_slice(rest);
    kept
}

/// The length of the element that begins here, if it is one of [`DETAILS`] and not long.
fn end_of_detail(tag: &[u8]) -> Option<usize> {
    let tag = tag.get(..MAX_DETAIL_BYTES).unwrap_or(tag);
    let name =
        tag.get(1..)?.split(|byte| matches!(byte, b'>' | b'/' | b' ' | b'\t' | b'\r' | b'\n')).next()?;
    let local = name.rsplit(|byte| *byte == b':').next()?;
    if !DETAILS.contains(&local) {
        return None;
    }
    let end = [b"</", name].concat();
    let at = find(tag, &end)? + end.len();
    Some(at + tag.get(at..)?.iter().position(|byte| *byte == b'>')? + 1)
}

fn find(bytes: &[u8], part: &[u8]) -> Option<usize> {
    bytes.windows(part.len()).position(|window| window == part)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn feed(text: &str) -> Result<Parsed, Unreadable> {
        let at = "https://blog.example/feed.xml".parse().unwrap();
        match read(text.as_bytes(), None, &at)?.contents(&at) {
            Contents::Feed(parsed) => Ok(parsed),
            Contents::Page(_) => panic!("it is a page"),
        }
    }

    fn rss(items: &str) -> String {
        format!(
            "<?xml version=\"1.0\"?><rss version=\"2.0\"><channel><title>T</title>{items}</channel></rss>"
        )
    }

    #[test]
    fn a_name_on_which_the_parser_panics_costs_the_name_and_nothing_else() {
        let item = "<item><guid>1</guid><title>标题</title><author>张三（a@b.example）</author></item>";
        let parsed = feed(&rss(item)).unwrap();
        let content = &parsed.entries.first().unwrap().content;
        assert_eq!((content.title.as_str(), content.data.get("author")), ("标题", None));
        let parsed = feed(&rss(&item.replace('（', " (").replace('）', ")"))).unwrap();
        assert_eq!(parsed.entries.first().unwrap().content.data["author"], "张三");
    }

    #[test]
    fn what_is_no_feed_is_malformed_and_what_is_endless_is_too_large() {
        let quoting = rss("<item><guid>1</guid><description><![CDATA[<html>a</html>]]></description></item>");
        assert_eq!(feed(&quoting).unwrap().entries.len(), 1, "a feed may quote a page");
        for text in
            ["", "hello", "<a>", "{}", "<rss version=\"2.0\"><channel><item>", "[{\"a\":1}]", "\u{0}\u{1}"]
        {
            assert!(matches!(feed(text), Err(Unreadable::Malformed(_))), "{text}");
        }
        let endless = rss(&"<item/>".repeat(2 * MAX_ENTRIES + 1));
        assert!(matches!(feed(&endless), Err(Unreadable::Excess(Excess::Number))));
    }
}

#[cfg(test)]
#[path = "document_tests.rs"]
mod documents_of_strangers;
