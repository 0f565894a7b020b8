//! HTML as plain text in one line, for titles and names.

use html5ever::tokenizer::Tag;

use super::{MAX_OUTPUT_BYTES, TokenReader, read};

/// Elements whose tags mark a text as HTML.
const KNOWN_TAGS: &str = "a abbr b blockquote br center cite code del div em figure font h1 h2 h3 h4 h5 h6 \
    hr i iframe img ins kbd li mark ol p pre q s section small span strong sub sup table u ul video";

/// Whether a text that may be plain or HTML has a tag of a known element. `Vec<T>` has none.
pub(crate) fn is_html(text: &str) -> bool {
    text.split('<').skip(1).any(|after| {
        let after = after.strip_prefix('/').unwrap_or(after);
        let name = after.split(|c: char| !c.is_ascii_alphanumeric()).next().unwrap_or_default();
        let ends =
            after.get(name.len()..).is_some_and(|rest| rest.starts_with(['>', '/', ' ', '\n', '\t', '\r']));
        ends && KNOWN_TAGS.split(' ').any(|tag| tag.eq_ignore_ascii_case(name))
    })
}

/// The text of a document in one line. What is no tag of a known element stays: `Vec<T>` is a title, too.
pub(crate) fn to_text(html: &str) -> String {
    let reader = if is_html(html) {
        read(html, Text::default())
    } else {
        read(&html.replace('<', "&lt;"), Text::default())
    };
    reader.out
}

/// Collects the text.
#[derive(Default)]
struct Text {
    out: String,
    space: bool,
    hidden: bool,
}

impl TokenReader for Text {
    fn text(&mut self, text: &str) {
        if self.hidden {
            return;
        }
        for (nth, word) in text.split(char::is_whitespace).enumerate() {
            self.space |= nth > 0;
            if word.is_empty() || self.out.len() >= MAX_OUTPUT_BYTES {
                continue;
            }
            if self.space && !self.out.is_empty() {
                self.out.push(' ');
            }
            self.space = false;
            self.out.extend(word.chars().filter(|c| !c.is_control()));
        }
    }

    fn start(&mut self, tag: &Tag) {
        match &*tag.name {
            "script" | "style" => self.hidden = true,
            "br" | "p" | "div" | "li" | "td" | "th" | "tr" | "h1" | "h2" | "h3" | "h4" => self.space = true,
            _ => {}
        }
    }

    fn end(&mut self, name: &str) {
        match name {
            "script" | "style" => self.hidden = false,
            "p" | "div" | "li" | "td" | "th" | "tr" | "h1" | "h2" | "h3" | "h4" => self.space = true,
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_title_is_decoded_and_keeps_what_only_looks_like_a_tag() {
        for (html, text) in [
            ("AT&amp;T &#8211; 5 &lt; 6", "AT&T – 5 < 6"),
            ("<b>Rust</b> 1.90\n is  out", "Rust 1.90 is out"),
            ("Why Vec<T> and if a < b", "Why Vec<T> and if a < b"),
            ("a<script>alert(1)</script>b<br>c", "ab c"),
            ("", ""),
        ] {
            assert_eq!(to_text(html), text, "{html}");
        }
    }
}
