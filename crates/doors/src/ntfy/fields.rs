//! Reads the fields of a publication from headers and query, under every name that ntfy documents.

use std::borrow::Cow;

use axum::http::{HeaderMap, HeaderValue};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use tidings_server_core::http::input::Query;

/// A field of a publication or a subscription that a header or a query parameter may carry.
#[derive(Debug, Clone, Copy)]
pub(super) enum Field {
    Actions,
    Ask,
    AskDefault,
    AskExpires,
    Attach,
    Cache,
    Click,
    ContentEncoding,
    Delay,
    Expect,
    Filename,
    Icon,
    Id,
    Markdown,
    Message,
    Poll,
    PollId,
    Priority,
    Scheduled,
    SequenceId,
    Since,
    Tags,
    Template,
    Title,
    UnifiedPush,
}

impl Field {
    /// The names of the field, in lower case; the first that is present counts.
    const fn names(self) -> &'static [&'static str] {
        match self {
            Self::Actions => &["x-actions", "actions", "action"],
            Self::Ask => &["x-ask", "ask"],
            Self::AskDefault => &["x-ask-default", "ask-default"],
            Self::AskExpires => &["x-ask-expires", "ask-expires"],
            Self::Attach => &["x-attach", "attach", "a"],
            Self::Cache => &["x-cache", "cache"],
            Self::Click => &["x-click", "click"],
            Self::ContentEncoding => &["content-encoding"],
            Self::Delay => &["x-delay", "delay", "x-at", "at", "x-in", "in"],
            Self::Expect => &["x-expect"],
            Self::Filename => &["x-filename", "filename", "file", "f"],
            Self::Icon => &["x-icon", "icon"],
            Self::Id => &["x-id", "id"],
            Self::Markdown => &["x-markdown", "markdown", "md"],
            Self::Message => &["x-message", "message", "m"],
            Self::Poll => &["x-poll", "poll", "po"],
            Self::PollId => &["x-poll-id", "poll-id"],
            Self::Priority => &["x-priority", "priority", "prio", "p"],
            Self::Scheduled => &["x-scheduled", "scheduled", "sched"],
            Self::SequenceId => &["x-sequence-id", "sequence-id", "sid"],
            Self::Since => &["x-since", "since", "si"],
            Self::Tags => &["x-tags", "tags", "tag", "ta"],
            Self::Template => &["x-template", "template", "tpl"],
            Self::Title => &["x-title", "title", "t", "ti"],
            Self::UnifiedPush => &["x-unifiedpush", "unifiedpush", "up"],
        }
    }
}

/// The headers and the query of a publication.
pub(super) struct Fields<'a> {
    pub(super) headers: &'a HeaderMap,
    pub(super) query: &'a Query,
    /// The headers among which fields are looked for; mostly few or none.
    named: Vec<(&'a str, &'a HeaderValue)>,
}

/// Whether a header is one that most requests have, and that is no field.
fn is_usual(name: &str) -> bool {
    matches!(
        name,
        "accept"
            | "accept-encoding"
            | "accept-language"
            | "authorization"
            | "connection"
            | "content-length"
            | "content-type"
            | "host"
            | "user-agent"
    )
}

impl<'a> Fields<'a> {
    /// The fields of a request.
    pub(super) fn new(headers: &'a HeaderMap, query: &'a Query) -> Self {
        let all = headers.iter().map(|(name, value)| (name.as_str(), value));
        Self { headers, query, named: all.filter(|(name, _)| !is_usual(name)).collect() }
    }

    /// The first value of the field that is not empty: headers first, then the query.
    pub(super) fn get(&self, field: Field) -> Option<String> {
        let names = field.names();
        let header = names.iter().find_map(|name| {
            // A request has few headers, and a field several names: hashing each name would be more work.
            let (_, value) = self.named.iter().find(|(header, _)| header == name)?;
            let text = decode_header(header_text(value.as_bytes()).trim());
            (!text.is_empty()).then_some(text)
        });
        header.or_else(|| {
            names.iter().find_map(|name| {
                let found =
                    self.query.pairs().find(|(n, v)| n.eq_ignore_ascii_case(name) && !v.trim().is_empty());
                found.map(|(_, v)| v.trim().to_owned())
            })
        })
    }

    /// A boolean; `None` if it is missing or neither yes nor no.
    pub(super) fn flag(&self, field: Field) -> Option<bool> {
        boolean(&self.get(field)?)
    }

    /// Whether the body is a message for a program (`UnifiedPush`): a parameter says so, or its encryption shows it.
    pub(super) fn is_for_program(&self) -> bool {
        self.flag(Field::UnifiedPush) == Some(true)
            || self.get(Field::ContentEncoding).as_deref() == Some("aes128gcm")
    }
}

/// A boolean in a text; `None` for one that is neither yes nor no.
pub(super) fn boolean(text: &str) -> Option<bool> {
    match text.to_ascii_lowercase().as_str() {
        "1" | "yes" | "true" | "on" => Some(true),
        "0" | "no" | "false" | "off" => Some(false),
        _ => None,
    }
}

/// The text of a header: UTF-8, as most clients send it raw, otherwise Latin-1. HTTP libraries such as those of Python
/// and of browsers send a text in Latin-1 if it fits into that.
fn header_text(bytes: &[u8]) -> Cow<'_, str> {
    match std::str::from_utf8(bytes) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => bytes.iter().map(|b| char::from(*b)).collect::<String>().into(),
    }
}

/// Decodes the encoded words of RFC 2047, `=?utf-8?B?…?=` and `=?utf-8?Q?…?=`; other text stays unchanged. White space
/// between two adjacent words is dropped.
pub(super) fn decode_header(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    let mut after_word = false;
    while let Some(at) = rest.find("=?") {
        let (before, from) = rest.split_at(at);
        let decoded = decode_word(from);
        let between_words = after_word && decoded.is_some() && before.trim().is_empty();
        if !between_words {
            out.push_str(before);
        }
        after_word = decoded.is_some();
        let (text, tail) = decoded.unwrap_or_else(|| ("=?".to_owned(), from.get(2..).unwrap_or("")));
        out.push_str(&text);
        rest = tail;
    }
    out.push_str(rest);
    out
}

/// Decodes one encoded word at the start of a text; gives it and the text after it. The search for its end stops at the
/// start of another word, so that each byte is read only a few times however many words a text has.
fn decode_word(text: &str) -> Option<(String, &str)> {
    let rest = text.strip_prefix("=?")?;
    let (charset, rest) = rest.split_once('?')?;
    let (encoding, rest) = rest.split_once('?')?;
    if !matches!(encoding, "B" | "b" | "Q" | "q") {
        return None;
    }
    let (encoded, tail) = encoded_text(rest)?;
    let bytes = if encoding.eq_ignore_ascii_case("b") {
        STANDARD.decode(encoded).ok()?
    } else {
        decode_quoted(encoded)?
    };
    let charset = charset.split('*').next().unwrap_or("");
    let decoded = match charset.to_ascii_lowercase().as_str() {
        "utf-8" | "utf8" | "us-ascii" | "ascii" => String::from_utf8(bytes).ok()?,
        "iso-8859-1" | "latin1" => bytes.into_iter().map(char::from).collect(),
        _ => return None,
    };
    Some((decoded, tail))
}

/// The encoded text before `?=`, and the text after that. `None` if another word starts before it, because neither
/// encoding contains `=?`.
fn encoded_text(rest: &str) -> Option<(&str, &str)> {
    for (at, _) in rest.match_indices('?') {
        let (encoded, from) = rest.split_at(at);
        if let Some(tail) = from.strip_prefix("?=") {
            return Some((encoded, tail));
        }
        if encoded.ends_with('=') {
            return None;
        }
    }
    None
}

/// Decodes the `Q` encoding: `_` is a space, `=E2` is a byte.
fn decode_quoted(text: &str) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(text.len());
    let mut bytes = text.bytes();
    while let Some(b) = bytes.next() {
        match b {
            b'_' => out.push(b' '),
            b'=' => {
                let (high, low) = (bytes.next()?, bytes.next()?);
                let digit = |b: u8| char::from(b).to_digit(16).and_then(|d| u8::try_from(d).ok());
                out.push(digit(high)? * 16 + digit(low)?);
            }
            b => out.push(b),
        }
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn encoded_words_are_decoded_and_anything_else_stays() {
        assert_eq!(decode_header("=?UTF-8?B?8J+HqfCfh6o=?="), "🇩🇪");
        assert_eq!(decode_header("=?utf-8?q?caf=C3=A9_au_lait?="), "café au lait");
        assert_eq!(decode_header("a =?utf-8?B?Yg==?= =?utf-8?B?Yw==?= d"), "a bc d");
        assert_eq!(decode_header("=?iso-8859-1?Q?caf=E9?="), "café");
        assert_eq!(
            decode_header("=?utf-8?Q?what?_=3F?="),
            "what? ?",
            "a question mark of its own ends nothing"
        );
        assert_eq!(
            decode_header("=?utf-8?B?Yg=?= =?utf-8?B?Yw==?="),
            "=?utf-8?B?Yg=?= c",
            "half padded is none"
        );
        assert_eq!(decode_header("=?utf-8?Q?a =?utf-8?Q?b?="), "=?utf-8?Q?a b");
        for odd in ["2 =? 3", "=?utf-8?B?%%%?=", "=?x?", "=?utf-8?Q?a=?=", "=?utf-8?Q?a", "plain ünïcode"] {
            assert_eq!(decode_header(odd), odd);
        }
    }

    #[test]
    fn the_first_name_that_has_a_value_counts_and_a_header_before_the_query() {
        let mut headers = HeaderMap::new();
        for (name, value) in [("host", "x"), ("priority", ""), ("content-encoding", "aes128gcm"), ("p", "5")]
        {
            headers.append(name, HeaderValue::from_static(value));
        }
        let query = Query::parse("title=T&p=1");
        let fields = Fields::new(&headers, &query);
        assert_eq!(fields.get(Field::Priority).as_deref(), Some("5"), "the first that is not empty");
        assert_eq!(fields.get(Field::Title).as_deref(), Some("T"));
        assert!(fields.is_for_program());
        assert_eq!(fields.named.len(), 3);
    }

    #[test]
    fn a_header_is_utf_8_or_else_latin_1() {
        assert_eq!(header_text("é 🎉".as_bytes()), "é 🎉");
        assert_eq!(header_text(b"caf\xe9"), "café");
    }

    /// Four megabytes of words without an end, or with one end for all. Searching the end of each word, or decoding up
    /// to it, would read half a million times as many bytes.
    #[test]
    fn encoded_words_take_work_in_proportion_to_their_bytes() {
        const DECODE_TIMEOUT: std::time::Duration = std::time::Duration::from_secs(90);
        for (prefix, end) in [("=?utf-8?q?x", ""), ("=?utf-8?q?x", "?="), ("=?a?b?x", "")] {
            let text = prefix.repeat(4 * 1024 * 1024 / prefix.len()) + end;
            let (sender, receiver) = std::sync::mpsc::channel();
            std::thread::spawn(move || sender.send(decode_header(&text).len()));
            assert!(receiver.recv_timeout(DECODE_TIMEOUT).is_ok(), "{prefix} … {end}");
        }
    }
}
