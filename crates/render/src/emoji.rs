//! Tags that name an emoji, by the short names that ntfy and GitHub use: it is shown before the title, in place of the tag.

use tidings_model::text;
use tidings_replica::ThreadPreview;

/// The most tags of an item that are shown. A server that one pulls from may send any number of them.
pub const MAX_TAGS: usize = ThreadPreview::TAGS;

/// The tags of an item as they are shown.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ShownTags {
    /// The emoji that tags name, one after the other in the order of the tags.
    pub emoji: String,
    /// The other tags.
    pub others: Vec<String>,
    /// The number of tags after the first [`MAX_TAGS`].
    pub more: usize,
}

/// Splits the first [`MAX_TAGS`] tags into emoji and others.
///
/// ```
/// use tidings_render::emoji::split;
///
/// let shown = split(&["warning", "nas", "tada"].map(str::to_owned));
/// assert_eq!((shown.emoji.as_str(), shown.others.as_slice()), ("⚠️🎉", &["nas".to_owned()][..]));
/// ```
pub fn split(tags: &[String]) -> ShownTags {
    let mut shown = ShownTags { more: tags.len().saturating_sub(MAX_TAGS), ..ShownTags::default() };
    for tag in tags.iter().take(MAX_TAGS) {
        match emojis::get_by_shortcode(tag.trim()) {
            Some(emoji) => shown.emoji.push_str(emoji.as_str()),
            None => shown.others.push(text::line(tag).into_owned()),
        }
    }
    shown
}

/// A text after the emoji that the first [`MAX_TAGS`] tags name; the text itself if there are none.
pub fn before(tags: &[String], text: &str) -> String {
    match split(tags).emoji {
        none if none.is_empty() => text.to_owned(),
        shown if text.is_empty() => shown,
        shown => format!("{shown} {text}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hundred_tags_are_shown_and_the_rest_are_counted() {
        let tags: Vec<String> =
            (0..100_000).map(|n| if n % 2 == 0 { "tada".to_owned() } else { format!("t{n}") }).collect();
        let shown = split(&tags);
        assert_eq!(shown.emoji.matches('🎉').count() + shown.others.len(), MAX_TAGS);
        assert_eq!((shown.others.last().map(String::as_str), shown.more), (Some("t99"), 99_900));
        assert_eq!(before(&tags, "Disk full"), format!("{} Disk full", "🎉".repeat(50)));
        assert_eq!(split(&tags[..100]).more, 0);
    }
}
