//! Text that came from elsewhere, without the characters that make it read as something else: controls, which steer
//! terminals and break lines, and direction controls, which show letters in another order than they have.

use std::borrow::Cow;

/// Characters that change the direction of what follows them, or annotate it unseen. Letters have a direction of their
/// own, so right-to-left text reads as well without them.
pub const fn is_direction(c: char) -> bool {
    matches!(
        c,
        '\u{061c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{206f}' | '\u{fff9}'..='\u{fffb}'
    )
}

/// Characters that end a line or steer a terminal: C0, DEL, C1, and the separators of lines and paragraphs.
fn is_control(c: char) -> bool {
    c.is_control() || matches!(c, '\u{2028}' | '\u{2029}')
}

/// One line, for titles, names, buttons and file names: controls become spaces, direction controls go.
pub fn line(text: &str) -> Cow<'_, str> {
    if !text.chars().any(|c| is_control(c) || is_direction(c)) {
        return Cow::Borrowed(text);
    }
    let kept = text.chars().filter(|c| !is_direction(*c));
    Cow::Owned(kept.map(|c| if is_control(c) { ' ' } else { c }).collect())
}

/// As [`line`], in place.
pub fn make_line(part: &mut String) {
    if let Cow::Owned(safe) = line(part) {
        *part = safe;
    }
}

/// Several lines, for bodies: line feeds and tabs stay, other controls and direction controls go.
pub fn block(text: &str) -> Cow<'_, str> {
    let goes = |c: char| is_direction(c) || (c.is_control() && !matches!(c, '\n' | '\t'));
    if !text.chars().any(goes) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.chars().filter(|c| !goes(*c)).collect())
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
}
