//! Bodies as one line of plain text, for a row, a toast or a tooltip.

use std::borrow::Cow;

use pulldown_cmark::{Event, Parser, TagEnd};
use tidings_model::{Format, text};

use crate::budget::prefix;
use crate::markdown::{options, task_mark};

/// The text of a body in one line, at most `limit` characters, ended by an ellipsis if it was cut.
///
/// ```
/// use tidings_render::plain::line;
/// use tidings_model::Format;
///
/// assert_eq!(line("# Build\n\n**2** failed", Format::Markdown, 200), "Build 2 failed");
/// assert_eq!(line("ab cde", Format::Plain, 5), "ab c…");
/// ```
pub fn line(body: &str, format: Format, limit: usize) -> String {
    // A character has at most four bytes and markup takes some, so the end of a long body need not be read.
    let head = prefix(body, limit.saturating_mul(8));
    match format {
        Format::Plain => collapse(&without_table_markup(head), limit),
        Format::Markdown => collapse(&without_table_markup(&markdown_text(head)), limit),
    }
}

/// The most characters of a body's text that [`excerpt`] lays out to look for a term.
const MAX_SEARCHED_CHARS: usize = 4_000;
/// The most characters before a term that an excerpt may begin with; one that begins later shows [`EXCERPT_LEAD`] of them.
const MAX_LEAD_CHARS: usize = 32;
const EXCERPT_LEAD: usize = 24;

/// The text of a body in one line, at most `limit` characters, which begins shortly before the first of the terms if that is
/// further on. Letter case is ignored. The work grows with the length of the body, which the caller bounds.
///
/// ```
/// use tidings_render::plain::excerpt;
/// use tidings_model::Format;
///
/// let log = "ok ".repeat(100) + "and then the Disk was full";
/// let found = excerpt(&log, Format::Plain, &["disk".to_owned()], 200);
/// assert_eq!(found, "… ok ok ok and then the Disk was full");
/// ```
pub fn excerpt(body: &str, format: Format, terms: &[String], limit: usize) -> String {
    let text = line(body, format, MAX_SEARCHED_CHARS);
    let first = position(&text, terms);
    if first.is_none()
        && let Some(rest) = from_shortly_before(body, terms)
    {
        let rest = line(rest, format, MAX_SEARCHED_CHARS);
        return from_term(&rest, position(&rest, terms).unwrap_or_default(), true, limit);
    }
    from_term(&text, first.unwrap_or_default(), false, limit)
}

/// Where the first of the terms is in a text, in characters.
pub(crate) fn position(text: &str, terms: &[String]) -> Option<usize> {
    let letters: Vec<char> = text.chars().map(fold).collect();
    let find = |term: &String| {
        let term: Vec<char> = term.trim().chars().map(fold).collect();
        hits(&letters, &term).next()
    };
    terms.iter().filter_map(find).min()
}

/// Where a term is in a text, in characters; both are folded. Words are searched by their beginning, and most have a
/// single letter somewhere: it counts only if it begins one. Scripts without capital letters do not part words.
pub(crate) fn hits(text: &[char], term: &[char]) -> impl Iterator<Item = usize> {
    let is_letter = matches!(term, [letter] if letter.is_lowercase());
    let is_within = move |at: usize| {
        let before = at.checked_sub(1).and_then(|before| text.get(before));
        is_letter && before.is_some_and(|c| c.is_lowercase() || c.is_numeric())
    };
    let windows = text.windows(term.len().max(1)).enumerate();
    windows.filter(move |(at, window)| *window == term && !is_within(*at)).map(|(at, _)| at)
}

/// The source of a body from some characters before the first of the terms on, if it has any.
fn from_shortly_before<'b>(body: &'b str, terms: &[String]) -> Option<&'b str> {
    let start = position(body, terms)?.saturating_sub(4 * EXCERPT_LEAD);
    let (byte, _) = body.char_indices().nth(start)?;
    body.get(byte..)
}

/// A text from shortly before its character `at` on; from its beginning if that is near, with an ellipsis if it
/// `is_cut`.
fn from_term(text: &str, at: usize, is_cut: bool, limit: usize) -> String {
    let skipped = if at > MAX_LEAD_CHARS { at - EXCERPT_LEAD } else { 0 };
    if skipped == 0 && !is_cut {
        return line(text, Format::Plain, limit);
    }
    let from: String = text.chars().skip(skipped).collect();
    // It begins with a whole word if there is one before the term.
    let begin = from.find(' ').filter(|space| *space < EXCERPT_LEAD.min(at)).unwrap_or_default();
    line(&format!("… {}", from.get(begin..).unwrap_or(&from).trim_start()), Format::Plain, limit)
}

/// Drops the bars and rules of a table in plain text, or of one cut off before Markdown reads it as a table.
fn without_table_markup(text: &str) -> Cow<'_, str> {
    if !text.contains('|') {
        return Cow::Borrowed(text);
    }
    let mut lines = Vec::new();
    for line in text.lines() {
        let row = line.trim();
        let ruled = row.contains('|') && row.contains('-');
        if ruled && row.chars().all(|c| matches!(c, '|' | '-' | ':' | ' ')) {
            continue;
        }
        let cells = row.strip_prefix('|').and_then(|rest| rest.strip_suffix('|'));
        lines.push(cells.map_or(Cow::Borrowed(line), |cells| cells.replace('|', " ").into()));
    }
    lines.join("\n").into()
}

/// A character as a search compares it.
pub(crate) fn fold(c: char) -> char {
    c.to_lowercase().next().unwrap_or(c)
}

fn markdown_text(body: &str) -> String {
    let mut text = String::new();
    for event in Parser::new_ext(body, options()) {
        match event {
            Event::Text(t) | Event::Code(t) | Event::Html(t) | Event::InlineHtml(t) => text.push_str(&t),
            Event::TaskListMarker(done) => text.extend([task_mark(done), ' ']),
            Event::SoftBreak => text.push('\n'),
            Event::HardBreak
            | Event::Rule
            | Event::End(
                TagEnd::Paragraph | TagEnd::Heading(_) | TagEnd::Item | TagEnd::TableCell | TagEnd::CodeBlock,
            ) => text.push(' '),
            _ => {}
        }
    }
    text
}

/// Collapses white space, removes controls and direction controls, and cuts at `limit` characters.
fn collapse(body: &str, limit: usize) -> String {
    let mut out = String::new();
    let mut count = 0;
    for word in body.split(|c: char| c.is_whitespace() || c.is_control()).filter(|w| !w.is_empty()) {
        let gap = usize::from(!out.is_empty());
        for (i, c) in word.chars().filter(|c| !text::is_direction(*c)).enumerate() {
            let takes = 1 + if i == 0 { gap } else { 0 };
            if count + takes > limit {
                out.pop();
                out.push('…');
                return out;
            }
            if takes == 2 {
                out.push(' ');
            }
            out.push(c);
            count += takes;
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_body_becomes_one_line() {
        assert_eq!(line("a\n  b\t\u{7}c", Format::Plain, 200), "a b c");
        assert_eq!(
            line("# Build\n\n**2** of `1,964` [tests](https://x.org)\n- one\n- two", Format::Markdown, 200),
            "Build 2 of 1,964 tests one two"
        );
    }

    #[test]
    fn a_table_gives_its_cells_however_it_was_written() {
        let table = "Done:\n\n| target | result |\n|---|:-:|\n| linux | ok |";
        for format in [Format::Markdown, Format::Plain] {
            assert_eq!(line(table, format, 200), "Done: target result linux ok", "{format:?}");
        }
        // The rule has another number of columns, so Markdown does not read a table.
        let uneven = "| a | b |\n|---|\n| 1 | 2 |";
        assert_eq!(line(uneven, Format::Markdown, 200), "a b 1 2");
        assert_eq!(line("cat a | grep b", Format::Plain, 200), "cat a | grep b");
        assert_eq!(line("|x| is absolute", Format::Plain, 200), "|x| is absolute");
    }

    #[test]
    fn an_excerpt_finds_a_term_anywhere_in_a_long_body() {
        let log =
            "all is **well** so far\n".repeat(1_000) + "then `Disk 47` was full" + &" and so on".repeat(50);
        for (format, found) in
            [(Format::Plain, "then `Disk 47` was full"), (Format::Markdown, "then Disk 47 was full")]
        {
            let shown = excerpt(&log, format, &["disk 47".to_owned()], 100);
            assert!(shown.starts_with("… ") && shown.contains(found), "{shown}");
            assert_eq!(shown.chars().count(), 100);
        }
        assert!(excerpt(&log, Format::Plain, &["nowhere".to_owned()], 100).starts_with("all is"));
    }

    #[test]
    fn a_long_body_is_cut_at_characters_not_bytes() {
        let text = "字".repeat(500);
        let cut = line(&text, Format::Plain, 200);
        assert_eq!(cut.chars().count(), 200);
        assert!(cut.ends_with('…'));
        assert_eq!(line("ab cd", Format::Plain, 5), "ab cd");
        assert_eq!(line("ab cde", Format::Plain, 5), "ab c…");
    }
}
