//! Finds the web and mail addresses in text that was written without markup, and makes them links. Text comes from
//! strangers: the work is in proportion to its length, and the number and length of links have bounds.

use std::collections::VecDeque;

use linkify::{LinkFinder, LinkKind};
use pulldown_cmark::{CowStr, Event, LinkType, Tag, TagEnd};
use tidings_model::text;
use url::Url;

use crate::budget::{Budget, MAX_HTML_BYTES};
use crate::link::{external_url, shown};
use crate::sanitize::sanitize;

/// The most addresses of one body that become links; those after them stay text.
const MAX_LINKS: usize = 1_000;
/// The longest address that becomes a link, in bytes.
const MAX_ADDRESS_BYTES: usize = 2 << 10;
/// The longest word in which an address without a scheme is looked for, in bytes: the search begins again at each dot.
const MAX_BARE_BYTES: usize = 512;

/// A part of a text: an address with its target, or what stands between addresses.
struct Piece<'t> {
    text: &'t str,
    target: Option<Url>,
}

/// Where an address ends besides white space: at the punctuation of Chinese and Japanese, which has no space around it.
fn ends_address(c: char) -> bool {
    c.is_whitespace()
        || matches!(c, '\u{3000}'..='\u{303f}' | '\u{ff00}'..='\u{ff0f}' | '\u{ff1a}'..='\u{ff20}' | '\u{ff3b}'..='\u{ff65}' | '“' | '”' | '‘' | '’' | '…' | '—')
}

/// The pieces of a text, at most `left` of them with a target; `left` is reduced by those.
fn pieces<'t>(text: &'t str, left: &mut usize) -> Vec<Piece<'t>> {
    let mut pieces = Vec::new();
    // The beginning of the text that is in no piece yet.
    let mut from = 0;
    let mut at = 0;
    for word in text.split_inclusive(ends_address) {
        let start = at;
        at += word.len();
        let word = word.trim_end_matches(ends_address);
        if *left == 0 {
            break;
        }
        if !word.contains([':', '@', '.']) {
            continue;
        }
        for (begin, end, target) in addresses(word) {
            if *left == 0 {
                break;
            }
            *left -= 1;
            let between = text.get(from..start + begin).unwrap_or_default();
            pieces.push(Piece { text: between, target: None });
            let address = text.get(start + begin..start + end).unwrap_or_default();
            pieces.push(Piece { text: address, target: Some(target) });
            from = start + end;
        }
    }
    pieces.push(Piece { text: text.get(from..).unwrap_or_default(), target: None });
    pieces.retain(|piece| !piece.text.is_empty());
    pieces
}

/// The addresses in a word without white space: their first byte, the byte after them, and where they lead.
fn addresses(word: &str) -> Vec<(usize, usize, Url)> {
    let mut finder = LinkFinder::new();
    // Names such as `main.rs` are hosts, too, by their form alone.
    let bare = word.len() <= MAX_BARE_BYTES && word.to_ascii_lowercase().contains("www.");
    finder.url_must_have_scheme(!bare);
    let found = finder.links(word).filter_map(|link| {
        let address = before_text(link.as_str(), link.kind());
        if address.len() > MAX_ADDRESS_BYTES {
            return None;
        }
        let target = match link.kind() {
            LinkKind::Email => external_url(&format!("mailto:{address}")),
            _ if is_bare(address) => external_url(&format!("http://{address}")),
            _ => external_url(address),
        };
        Some((link.start(), link.start() + address.len(), target?))
    });
    let found: Vec<_> = found.collect();
    if found.is_empty() { with_top_level_in_other_letters(word).into_iter().collect() } else { found }
}

/// The address in a word whose top-level domain is not in Latin letters, such as `https://例子.中国/`: the finder knows none.
fn with_top_level_in_other_letters(word: &str) -> Option<(usize, usize, Url)> {
    let start = ["https://", "http://"].into_iter().filter_map(|scheme| word.find(scheme)).min()?;
    let address = word.get(start..)?.trim_end_matches(|c: char| c.is_ascii_punctuation() && c != '/');
    let target = external_url(address).filter(|_| address.len() <= MAX_ADDRESS_BYTES)?;
    let mut labels = target.host_str()?.rsplit('.');
    let fits = labels.next()?.starts_with("xn--")
        && labels.clone().count() > 0
        && labels.all(|label| !label.is_empty());
    fits.then(|| (start, start + address.len(), target.clone()))
}

fn is_bare(address: &str) -> bool {
    address.get(..4).is_some_and(|start| start.eq_ignore_ascii_case("www."))
}

/// The part of an address before text that follows its host without a space, as in `https://example.org见`. No top-level
/// domain begins in Latin letters and goes on in others.
fn before_text<'t>(address: &'t str, kind: &LinkKind) -> &'t str {
    let start = match (kind, address.find("://")) {
        (LinkKind::Email, _) => address.rfind('@').map_or(0, |at| at + 1),
        (_, Some(scheme)) => scheme + 3,
        (_, None) => 0,
    };
    let host = address.get(start..).unwrap_or_default();
    let host = host.split(['/', '?', '#', ':']).next().unwrap_or_default();
    let last = host.rfind('.').map_or(host.len(), |dot| dot + 1);
    let label = host.get(last..).unwrap_or_default();
    match label.find(|c: char| !c.is_ascii()) {
        Some(at) if label.starts_with(|c: char| c.is_ascii_alphabetic()) => {
            address.get(..start + last + at).unwrap_or(address)
        }
        _ => address,
    }
}

/// The beginning of the element of a link, with where it leads in the form that is shown to people.
pub(crate) fn link_start<'a>(target: &Url) -> CowStr<'a> {
    let shown = shown(target);
    let [href, address, host] = [target.as_str(), &shown.address, &shown.host].map(ammonia::clean_text);
    format!("<a href=\"{href}\" data-address=\"{address}\" data-host=\"{host}\">").into()
}

/// Plain text as HTML whose addresses are links; `None` if it has none, or if the budget leaves no room for them.
pub(crate) fn linked(body: &str, budget: &mut Budget) -> Option<String> {
    let most = budget.elements().min(MAX_LINKS);
    let mut left = most;
    let pieces = pieces(body, &mut left);
    if left == most {
        return None;
    }
    let mut out = String::with_capacity(body.len() * 2);
    for piece in pieces {
        if let Some(target) = &piece.target {
            out.push_str(&link_start(target));
        }
        out.push_str(&ammonia::clean_text(piece.text));
        if piece.target.is_some() {
            out.push_str("</a>");
        }
    }
    let html = sanitize(&out);
    budget.spend(most - left);
    (html.len() <= MAX_HTML_BYTES).then_some(html)
}

/// Passes the events of Markdown on, with links around the addresses in its text, but not in code, in links, or in the
/// description of an image. Adjacent texts have to be merged before.
pub(crate) struct LinkedEvents<'a, I> {
    events: I,
    /// Events to be passed on before the next one.
    ready: VecDeque<Event<'a>>,
    /// The number of open elements in which text stays as it is.
    closed: usize,
    left: usize,
}

impl<'a, I: Iterator<Item = Event<'a>>> LinkedEvents<'a, I> {
    pub(crate) fn new(events: I, budget: &Budget) -> Self {
        let left = budget.elements().min(MAX_LINKS);
        Self { events, ready: VecDeque::new(), closed: 0, left }
    }

    /// Splits a text with addresses into events; false if it has none.
    fn split(&mut self, text: &str) -> bool {
        // The parser has decoded entities such as `&#x202e;`.
        let text = text::block(text);
        let pieces = pieces(&text, &mut self.left);
        if pieces.iter().all(|piece| piece.target.is_none()) {
            return false;
        }
        for piece in pieces {
            let text = Event::Text(piece.text.to_owned().into());
            let Some(target) = piece.target else {
                self.ready.push_back(text);
                continue;
            };
            let link = Tag::Link {
                link_type: LinkType::Autolink,
                dest_url: String::from(target).into(),
                title: "".into(),
                id: "".into(),
            };
            self.ready.extend([Event::Start(link), text, Event::End(TagEnd::Link)]);
        }
        true
    }
}

impl<'a, I: Iterator<Item = Event<'a>>> Iterator for LinkedEvents<'a, I> {
    type Item = Event<'a>;

    fn next(&mut self) -> Option<Event<'a>> {
        if let Some(event) = self.ready.pop_front() {
            return Some(event);
        }
        let event = self.events.next()?;
        match &event {
            Event::Start(Tag::Link { .. } | Tag::Image { .. } | Tag::CodeBlock(_) | Tag::HtmlBlock) => {
                self.closed += 1;
            }
            Event::End(TagEnd::Link | TagEnd::Image | TagEnd::CodeBlock | TagEnd::HtmlBlock) => {
                self.closed = self.closed.saturating_sub(1);
            }
            Event::Text(text) if self.closed == 0 && self.left > 0 && self.split(text) => {
                return self.ready.pop_front();
            }
            _ => {}
        }
        Some(event)
    }
}

#[cfg(test)]
#[path = "addresses_tests.rs"]
mod tests;
