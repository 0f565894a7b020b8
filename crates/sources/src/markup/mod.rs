//! Reads HTML from feeds and posts: as Markdown, as plain text, or for the links to feeds in it. It is read token by
//! token, without a tree, so that neither the depth nor the number of its elements takes memory.

mod links;
mod markdown;
mod plain;

use std::cell::{Cell, RefCell};

use html5ever::tendril::StrTendril;
use html5ever::tokenizer::states::RawKind;
use html5ever::tokenizer::{
    BufferQueue, CharacterTokens, ParseError, StartTag, Tag, TagToken, Token, TokenSink, TokenSinkResult,
    Tokenizer, TokenizerOpts,
};
use tidings_model::text;
use tidings_model::web_url::is_web;
use url::Url;

pub(crate) use self::links::feed_address;
pub use self::links::page_icons;
pub(crate) use self::markdown::to_markdown;
pub(crate) use self::plain::{is_html, to_text};

/// The most bytes of a document that are read; the rest is left out.
const MAX_HTML_BYTES: usize = 1 << 20;
/// The most bytes of Markdown or text that a document becomes.
const MAX_OUTPUT_BYTES: usize = 120 << 10;
/// The number of bytes that the tokenizer gets at once.
const CHUNK_BYTES: usize = 1 << 10;
/// The most spaces, quotes and slashes that are read without a token: each may end an attribute of a tag, whose names
/// the tokenizer compares with each other.
const MAX_SEPARATORS: usize = 4_000;
/// The most bytes of an address.
const MAX_ADDRESS_BYTES: usize = 4 << 10;

/// Receives the tokens of a document.
trait TokenReader {
    /// Decoded characters, without markup.
    fn text(&mut self, text: &str);
    /// The start of an element.
    fn start(&mut self, tag: &Tag);
    /// The end of an element, which may have no start.
    fn end(&mut self, name: &str);
}

/// Passes the tokens of the tokenizer to a reader.
struct Sink<R> {
    reader: RefCell<R>,
    /// Whether there was a token since this was last asked.
    progressed: Cell<bool>,
}

impl<R: TokenReader> TokenSink for Sink<R> {
    type Handle = ();

    fn process_token(&self, token: Token, _line: u64) -> TokenSinkResult<()> {
        let mut reader = self.reader.borrow_mut();
        self.progressed.set(self.progressed.get() || !matches!(token, ParseError(_)));
        match token {
            CharacterTokens(text) => reader.text(&text),
            TagToken(tag) if tag.kind == StartTag => {
                reader.start(&tag);
                return if tag.self_closing { TokenSinkResult::Continue } else { content_of(&tag.name) };
            }
            TagToken(tag) => reader.end(&tag.name),
            _ => {}
        }
        TokenSinkResult::Continue
    }
}

/// How the content of an element is tokenized. The tree builder of a browser decides on that; here is none.
fn content_of(name: &str) -> TokenSinkResult<()> {
    match name {
        "script" => TokenSinkResult::RawData(RawKind::ScriptData),
        "style" | "xmp" | "iframe" | "noembed" | "noframes" => TokenSinkResult::RawData(RawKind::Rawtext),
        "textarea" | "title" => TokenSinkResult::RawData(RawKind::Rcdata),
        _ => TokenSinkResult::Continue,
    }
}

/// Passes the tokens of a document to a reader, and returns the reader.
fn read<R: TokenReader>(html: &str, reader: R) -> R {
    let sink = Sink { reader: RefCell::new(reader), progressed: Cell::new(false) };
    let (input, tokenizer) = (BufferQueue::default(), Tokenizer::new(sink, TokenizerOpts::default()));
    let (mut rest, mut separators) = (text::cut(html, MAX_HTML_BYTES), 0);
    while !rest.is_empty() && separators <= MAX_SEPARATORS {
        let chunk = text::cut(rest, CHUNK_BYTES);
        rest = rest.get(chunk.len()..).unwrap_or_default();
        input.push_back(StrTendril::from_slice(chunk));
        // It stops early for scripts only, which the sink never asks for.
        let _ = tokenizer.feed(&input);
        separators += chunk
            .bytes()
            .filter(|byte| matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | b'"' | b'\'' | b'/'))
            .count();
        if tokenizer.sink.progressed.take() {
            separators = 0;
        }
    }
    tokenizer.end();
    tokenizer.sink.reader.into_inner()
}

/// The value of an attribute.
fn attribute<'t>(tag: &'t Tag, name: &str) -> Option<&'t str> {
    tag.attrs.iter().find(|attribute| &*attribute.name.local == name).map(|attribute| &*attribute.value)
}

/// The absolute address of a link, resolved against the address of its document; `None` unless it leads to the web.
pub(super) fn web_address(address: &str, base: Option<&Url>) -> Option<Url> {
    let address = address.trim();
    if address.is_empty() || address.len() > MAX_ADDRESS_BYTES {
        return None;
    }
    let url = match (Url::parse(address), base) {
        (Ok(url), _) => url,
        (Err(url::ParseError::RelativeUrlWithoutBase), Some(base)) => base.join(address).ok()?,
        (Err(_), _) => return None,
    };
    is_web(&url).then_some(url)
}
