//! Tags that name an emoji, by the short names that ntfy and GitHub use: it is shown before the title, in place of the tag.

use tidings_model::text;

/// The emoji that tags name, one after the other in the order of the tags, and the other tags.
///
/// ```
/// use tidings_app::render::emoji::split;
///
/// let tags = ["warning", "nas", "tada"].map(str::to_owned);
/// assert_eq!(split(&tags), ("⚠️🎉".to_owned(), vec!["nas".to_owned()]));
/// ```
pub fn split(tags: &[String]) -> (String, Vec<String>) {
    let mut shown = String::new();
    let mut others = Vec::new();
    for tag in tags {
        match emojis::get_by_shortcode(tag.trim()) {
            Some(emoji) => shown.push_str(emoji.as_str()),
            None => others.push(text::line(tag).into_owned()),
        }
    }
    (shown, others)
}

/// A text after the emoji that the tags name; the text itself where there are none.
pub fn before(tags: &[String], text: &str) -> String {
    match split(tags).0 {
        none if none.is_empty() => text.to_owned(),
        shown if text.is_empty() => shown,
        shown => format!("{shown} {text}"),
    }
}
