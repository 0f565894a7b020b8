//! Removes deceptive characters from text of publishers and servers: control characters, which control terminals and
//! break lines, and direction controls, which change the visible order of letters.

use std::borrow::Cow;

/// Whether a character changes the direction of the text after it, or annotates it invisibly. Right-to-left scripts
/// do not need these characters: their letters have a direction of their own.
pub const fn is_direction(c: char) -> bool {
    matches!(
        c,
        '\u{061c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{206f}' | '\u{fff9}'..='\u{fffb}'
    )
}

/// Whether a character ends a line or controls a terminal: C0, DEL, C1, and the separators of lines and paragraphs.
fn is_control(c: char) -> bool {
    c.is_control() || matches!(c, '\u{2028}' | '\u{2029}')
}

/// Sanitizes text for one line, such as titles, names, buttons and file names: control characters become spaces,
/// direction controls are removed.
///
/// ```
/// assert_eq!(tidings_model::text::line("a\nb"), "a b");
/// ```
pub fn line(text: &str) -> Cow<'_, str> {
    if !text.chars().any(|c| is_control(c) || is_direction(c)) {
        return Cow::Borrowed(text);
    }
    let kept = text.chars().filter(|c| !is_direction(*c));
    Cow::Owned(kept.map(|c| if is_control(c) { ' ' } else { c }).collect())
}

/// Applies [`line`] in place.
pub fn make_line(part: &mut String) {
    if let Cow::Owned(safe) = line(part) {
        *part = safe;
    }
}

/// Sanitizes text for several lines, such as bodies: line feeds and tabs stay; other control characters and direction
/// controls are removed.
pub fn block(text: &str) -> Cow<'_, str> {
    let goes = |c: char| is_direction(c) || (c.is_control() && !matches!(c, '\n' | '\t'));
    if !text.chars().any(goes) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.chars().filter(|c| !goes(*c)).collect())
}

/// The beginning of a text, of at most this many bytes and whole characters.
///
/// ```
/// assert_eq!(tidings_model::text::cut("aé", 2), "a");
/// ```
pub fn cut(text: &str, bytes: usize) -> &str {
    let end = (0..=bytes.min(text.len())).rev().find(|end| text.is_char_boundary(*end));
    end.and_then(|end| text.get(..end)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_from_elsewhere_reads_in_the_order_of_its_letters() {
        assert_eq!(line("annex\u{202e}txt.exe"), "annextxt.exe");
        assert_eq!(line("a\u{2066}b\u{2069}\u{200f}\u{61c}c"), "abc");
        assert_eq!(line("\u{1b}[2Ja\r\nb\u{9b}1mc\u{2028}d"), " [2Ja  b 1mc d");
        assert_eq!(block("a\u{1b}[31m\r\n\tb\u{202d}c\u{9b}"), "a[31m\n\tbc");
        for plain in ["שלום עולם", "备份完成 ✓", "👩‍💻 e\u{301}"] {
            assert!(matches!(line(plain), Cow::Borrowed(same) if same == plain));
            assert!(matches!(block(plain), Cow::Borrowed(same) if same == plain));
        }
    }

    #[test]
    fn a_line_is_made_in_place_and_a_beginning_has_whole_characters() {
        let mut name = "a\nb\u{202e}".to_owned();
        make_line(&mut name);
        assert_eq!(name, "a b");
        let cuts = [0, 1, 2, 3, 4, 9].map(|bytes| cut("aéb", bytes));
        assert_eq!(cuts, ["", "a", "a", "aé", "aéb", "aéb"]);
    }
}
