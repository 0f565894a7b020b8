//! Reads the document of a feed, or the link to a feed in a page of the web.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use bytes::Bytes;
use feed_rs::model::{FeedType, Link};
use feed_rs::parser::{Builder, ParseFeedError};
use sha2::{Digest, Sha256};
use url::Url;

use super::entry::{self, Entry};
use crate::source::json;
use crate::source::markup;
use crate::{Error, Result};

/// The most entries of a feed.
const MAX_ENTRIES: usize = 20_000;
/// The most elements of a document in XML, of which each takes up to some 200 bytes in memory.
const MAX_ELEMENTS: usize = 600_000;
/// The number of bytes at the beginning of a document in which a page says that it is HTML.
const SNIFFED_BYTES: usize = 2 << 10;
/// The number of characters of a digest.
const DIGEST_CHARS: usize = 32;
/// The most bytes of an element that is left out.
const MAX_DETAIL_BYTES: usize = 1 << 10;
/// Elements that name people or durations, and that say nothing about which entry they belong to.
const DETAILS: [&[u8]; 6] = [b"author", b"creator", b"managingEditor", b"webMaster", b"owner", b"duration"];

/// The contents of a document.
pub(super) enum Contents {
    /// A feed.
    Feed(Parsed),
    /// A page of the web, with the address of the feed that it names.
    Page(Option<Url>),
}

/// A feed.
pub(super) struct Parsed {
    pub(super) title: String,
    /// The time for which the feed says that it may be kept.
    pub(super) ttl: Option<Duration>,
    /// Differs if the document differs.
    pub(super) digest: String,
    /// The entries in the order of the document.
    pub(super) entries: Vec<Entry>,
}

/// Reads a document from `at`.
///
/// # Errors
/// [`Error::Malformed`] if it is neither a feed nor a page of the web, [`Error::AnswerTooLarge`] if it
/// has too many entries.
pub(super) async fn read(body: Bytes, at: Url) -> Result<Contents> {
    let task = tokio::task::spawn_blocking(move || contents(&body, &at));
    task.await.map_err(|error| Error::from_task(&error))?
}

fn contents(body: &[u8], at: &Url) -> Result<Contents> {
    if is_page(body) {
        return Ok(Contents::Page(markup::feed_address(&String::from_utf8_lossy(body), at)));
    }
    if !is_bounded(body) {
        return Err(Error::AnswerTooLarge);
    }
    let feed = parse(body, at)?;
    let title = entry::title(&feed, at);
    let ttl = feed.ttl.map(|minutes| Duration::from_secs(u64::from(minutes) * 60));
    let entries = entry::entries(feed, &title, at);
    Ok(Contents::Feed(Parsed { title, ttl, digest: digest(body), entries }))
}

/// A short text that differs if the bytes differ.
pub(super) fn digest(bytes: impl AsRef<[u8]>) -> String {
    let mut text = data_encoding::HEXLOWER.encode(&Sha256::digest(bytes));
    text.truncate(DIGEST_CHARS);
    text
}

/// Whether a document says at its beginning that it is HTML, and not that it is a feed, whose texts may say so, too.
fn is_page(body: &[u8]) -> bool {
    let head = body.get(..SNIFFED_BYTES).unwrap_or(body).to_ascii_lowercase();
    let first = |marks: &[&[u8]]| marks.iter().filter_map(|mark| find(&head, mark)).min();
    let of_feed = first(&[b"<rss", b"<feed", b"<rdf", b"{"]).unwrap_or(usize::MAX);
    first(&[b"<!doctype html", b"<html"]).is_some_and(|of_page| of_page < of_feed)
}

fn is_bounded(body: &[u8]) -> bool {
    if body.iter().find(|byte| matches!(byte, b'<' | b'{')) == Some(&b'{') {
        return json::is_bounded(body);
    }
    let (mut elements, mut entries) = (0_usize, 0_usize);
    let mut rest = body;
    while let Some(at) = rest.iter().position(|byte| *byte == b'<') {
        rest = rest.get(at + 1..).unwrap_or_default();
        elements += 1;
        entries += usize::from(rest.starts_with(b"item") || rest.starts_with(b"entry"));
    }
    // Each of them may have a name that begins like an entry's.
    elements <= MAX_ELEMENTS && entries <= 2 * MAX_ENTRIES
}

fn parse(body: &[u8], at: &Url) -> Result<feed_rs::model::Feed> {
    let mut feed = match try_parse(body, at) {
        Some(feed) => feed,
        // The library panics on some names of people and on some durations.
        None => try_parse(&without_details(body), at).ok_or(Error::Malformed)?,
    }
    .map_err(|error| malformed(&error))?;
    feed.entries.truncate(MAX_ENTRIES);
    Ok(feed)
}

/// Parses a document; `None` if the parser panicked.
fn try_parse(body: &[u8], at: &Url) -> Option<Result<feed_rs::model::Feed, ParseFeedError>> {
    // Ids are made of what the document says, and never random.
    let no_id = |_: &[Link], _: &Option<feed_rs::model::Text>, _: Option<&str>| String::new();
    let parser =
        Builder::new().base_uri(Some(at.as_str())).sanitize_content(false).id_generator(no_id).build();
    catch_unwind(AssertUnwindSafe(|| parser.parse(body))).ok()
}

/// Logs why a document is no feed: the kind of error, and no text of the document.
fn malformed(error: &ParseFeedError) -> Error {
    let reason = match error {
        ParseFeedError::ParseError(_) => "it is no feed",
        ParseFeedError::IoError(_) => "its characters can't be read",
        ParseFeedError::JsonSerde(_) | ParseFeedError::JsonUnsupportedVersion(_) => "it is no JSON Feed",
        ParseFeedError::XmlReader(_) => "its XML can't be read",
    };
    tracing::warn!(reason, "the document of a feed can't be read");
    Error::Malformed
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

/// Whether a feed is one in which titles and descriptions are HTML, whatever their type says.
pub(super) fn is_rss(kind: &FeedType) -> bool {
    matches!(kind, FeedType::RSS0 | FeedType::RSS1 | FeedType::RSS2)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn feed(text: &str) -> Result<Parsed> {
        let at = "https://blog.example/feed.xml".parse().unwrap();
        match contents(text.as_bytes(), &at)? {
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
        let content = &parsed.entries.first().unwrap().item.content;
        assert_eq!((content.title.as_str(), content.data.get("author")), ("标题", None));
        let parsed = feed(&rss(&item.replace('（', " (").replace('）', ")"))).unwrap();
        assert_eq!(parsed.entries.first().unwrap().item.content.data["author"], "张三");
    }

    #[test]
    fn what_is_no_feed_is_malformed_and_what_is_endless_is_too_large() {
        let quoting = rss("<item><guid>1</guid><description><![CDATA[<html>a</html>]]></description></item>");
        assert_eq!(feed(&quoting).unwrap().entries.len(), 1, "a feed may quote a page");
        for text in
            ["", "hello", "<a>", "{}", "<rss version=\"2.0\"><channel><item>", "[{\"a\":1}]", "\u{0}\u{1}"]
        {
            assert!(matches!(feed(text), Err(Error::Malformed)), "{text}");
        }
        let endless = rss(&"<item/>".repeat(2 * MAX_ENTRIES + 1));
        assert!(matches!(feed(&endless), Err(Error::AnswerTooLarge)));
        let wide = rss(&format!("<item>{}</item>", "<category/>".repeat(MAX_ELEMENTS)));
        assert!(matches!(feed(&wide), Err(Error::AnswerTooLarge)));
    }
}
