//! Facets: words of the full-text index that mark what an item is, so that they are searched together with its text.

use std::fmt::Write as _;

use tidings_model::{Notification, Target};

use crate::{SourceId, repository};

/// The first character of every facet: of private use, so that no text contains it, and a letter to the tokenizer.
pub const FACET: char = '\u{e000}';

/// The member of an item's data by which its source says that the actor is a bot.
const BOT: &str = "bot";

/// The facets of an item, which are indexed with its text so that both are searched together. They are kind, source, a
/// priority above 3, an attachment, a link, a bot as actor, the action, the tags, and the topic, application or
/// repository.
pub(crate) fn facets(source: SourceId, n: &Notification, priority: u8) -> String {
    let mut out = format!(" {FACET}k{} {FACET}s{source}", n.kind.as_row());
    if priority > 3 {
        let _ = write!(out, " {FACET}p{priority}");
    }
    if n.content.attachment.is_some() {
        let _ = write!(out, " {FACET}f");
    }
    if n.content.url.is_some() || n.content.body.contains("https://") || n.content.body.contains("http://") {
        let _ = write!(out, " {FACET}l");
    }
    if n.content.data.get(BOT).is_some_and(|bot| *bot == true) {
        let _ = write!(out, " {FACET}b");
    }
    if let Some(action) = n.action.as_deref().map(plain_action).filter(|action| !action.is_empty()) {
        let _ = write!(out, " {FACET}a{action}");
    }
    for tag in &n.content.tags {
        let _ = write!(out, " {}", exact('t', tag));
    }
    for name in n.target.as_ref().map(origin_names).into_iter().flatten() {
        let _ = write!(out, " {}", exact('o', name));
    }
    out
}

/// Whether an item has facets of tags or of an origin.
pub fn is_faceted(n: &Notification) -> bool {
    !n.content.tags.is_empty() || n.target.as_ref().is_some_and(|target| !origin_names(target).is_empty())
}

/// The names of the topic, application or repository that a target is of: its id and its title.
fn origin_names(target: &Target) -> Vec<&str> {
    let is_named = matches!(target.kind.as_str(), "topic" | "application");
    let named = is_named
        .then_some([Some(target.id.as_str()), target.title.as_deref()])
        .into_iter()
        .flatten()
        .flatten();
    let mut names: Vec<&str> = named.chain(repository(target)).collect();
    names.dedup();
    names
}

/// A facet with a whole text, in which letter case is ignored: what would split a word of the index is written as its
/// number.
pub(crate) fn exact(facet: char, text: &str) -> String {
    let mut out = String::from(FACET);
    out.push(facet);
    for c in text.trim().chars().flat_map(char::to_lowercase) {
        if c.is_alphanumeric() {
            out.push(c);
        } else {
            let _ = write!(out, "{FACET}{:x}{FACET}", u32::from(c));
        }
    }
    out
}

/// An action without letter case, and without what would split a word of the index.
pub fn plain_action(action: &str) -> String {
    action.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// A facet in a query of the index.
pub(crate) fn facet(word: &str) -> String {
    quoted(&format!("{FACET}{word}"))
}

/// A word in a query of the index.
pub(crate) fn quoted(word: &str) -> String {
    format!("\"{word}\"")
}
