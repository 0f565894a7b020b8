//! Segments text for the full-text index, and turns a search filter into an FTS5 query. Operators of FTS5 in the
//! user's words are taken as text.

use super::facets::{FACET, exact, facet, plain_action, quoted};
use crate::SearchFilter;

/// Whether a character belongs to a script that is written without spaces: Chinese, Japanese kana, Korean.
#[inline]
pub fn is_dense(c: char) -> bool {
    matches!(c,
        '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}'
        | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
}

/// Cuts every run of such a script into overlapping pairs, `数据库` → `数据 据库 库`. A query of two characters finds the pair,
/// and a query of one character finds every pair that begins with it.
pub(crate) fn segment(text: &str) -> std::borrow::Cow<'_, str> {
    if text.is_ascii() || !text.chars().any(is_dense) {
        return text.into();
    }
    let mut out = String::with_capacity(text.len() * 3);
    let mut before: Option<char> = None;
    for c in text.chars() {
        if is_dense(c) {
            if before.is_none() {
                out.push(' ');
            } else {
                out.push(c);
                out.push(' ');
            }
            out.push(c);
            before = Some(c);
        } else {
            if before.take().is_some() {
                out.push(' ');
            }
            out.push(c);
        }
    }
    out.into()
}

/// The part of a search filter that the full-text index answers.
#[derive(Debug, PartialEq, Eq)]
pub enum Expression {
    /// The filter has no such part.
    Nothing,
    /// An FTS5 query.
    Query(String),
    /// A condition that no item can meet.
    Unanswerable,
}

/// The part of a search filter that the index answers. Tags, origins and bots are a part of it if it is `faceted`.
pub fn expression(filter: &SearchFilter, faceted: bool) -> Expression {
    let mut all: Vec<String> = Vec::new();
    for words in &filter.words {
        match query(words) {
            Some(words) => all.push(words),
            None if words.trim().is_empty() => {}
            None => return Expression::Unanswerable,
        }
    }
    for names in &filter.from {
        let any: Vec<String> =
            names.iter().filter_map(|name| query(&name.replace(['"', '“', '”'], " "))).collect();
        if any.is_empty() {
            return Expression::Unanswerable;
        }
        let any: Vec<String> = any.into_iter().map(|name| format!("actor : ({name})")).collect();
        all.push(format!("({})", any.join(" OR ")));
    }
    if filter.priority.is_some_and(|least| least > 3) {
        let any: Vec<String> = (filter.priority.unwrap_or(4)..=5).map(|p| facet(&format!("p{p}"))).collect();
        all.push(format!("({})", any.join(" OR ")));
    }
    if filter.attachment {
        all.push(facet("f"));
    }
    if filter.link {
        all.push(facet("l"));
    }
    if let Some(actions) = &filter.actions {
        let plain = actions.iter().map(|action| plain_action(action)).filter(|action| !action.is_empty());
        let any: Vec<String> = plain.map(|action| facet(&format!("a{action}"))).collect();
        if any.is_empty() {
            return Expression::Unanswerable;
        }
        all.push(format!("({})", any.join(" OR ")));
    }
    if faceted {
        all.extend(filter.tags.iter().map(|tag| quoted(&exact('t', tag))));
        if let Some(origins) = &filter.origins {
            let any: Vec<String> = origins.iter().map(|origin| quoted(&exact('o', origin))).collect();
            if any.is_empty() {
                return Expression::Unanswerable;
            }
            all.push(format!("({})", any.join(" OR ")));
        }
        if filter.bot {
            all.push(format!("(actor : (\"bot\") OR {})", facet("b")));
        }
    }
    if all.is_empty() && filter.since.is_none() && filter.before.is_none() {
        // The index of threads has kinds and sources.
        return Expression::Nothing;
    }
    let kinds =
        filter.kinds.as_ref().map(|kinds| kinds.iter().map(|k| facet(&format!("k{}", k.as_row()))).collect());
    let sources = filter.sources.as_ref().map(|ids| ids.iter().map(|id| facet(&format!("s{id}"))).collect());
    for any in [kinds, sources].into_iter().flatten() {
        let any: Vec<String> = any;
        if any.is_empty() {
            return Expression::Unanswerable;
        }
        all.push(format!("({})", any.join(" OR ")));
    }
    if all.is_empty() { Expression::Nothing } else { Expression::Query(all.join(" AND ")) }
}

/// A run of a query: a word, or the inside of double quotes.
struct Run<'a> {
    text: &'a str,
    quoted: bool,
}

/// An FTS5 query for items with every word; `None` if the text has no word. The last word may be a prefix, unless it
/// is quoted or followed by a space.
pub fn query(words: &str) -> Option<String> {
    let words = &words.replace(FACET, " ");
    let mut terms: Vec<String> = Vec::new();
    let open = !words.ends_with(char::is_whitespace);
    let runs = runs(words);
    let last = runs.len().saturating_sub(1);
    for (n, run) in runs.iter().enumerate() {
        let segments = segments(run.text);
        let end = segments.len().saturating_sub(1);
        for (m, part) in segments.iter().enumerate() {
            let typing = open && !run.quoted && n == last && m == end;
            terms.extend(term(part, typing));
        }
    }
    if terms.is_empty() { None } else { Some(terms.join(" AND ")) }
}

/// The letters and digits of ASCII at the end of the words, if they are the beginning of a word that is being typed.
pub fn beginning(words: &str) -> Option<&str> {
    if words.split(['"', '“', '”']).count().is_multiple_of(2) {
        return None;
    }
    let last = words.rsplit(char::is_whitespace).next()?;
    let part = segments(last).pop().filter(|part| words.ends_with(*part))?;
    Some(part).filter(|part| part.bytes().all(|byte| byte.is_ascii_alphanumeric()))
}

fn runs(words: &str) -> Vec<Run<'_>> {
    let mut runs = Vec::new();
    for (n, part) in words.split(['"', '“', '”']).enumerate() {
        if n % 2 == 1 {
            runs.push(Run { text: part, quoted: true });
        } else {
            runs.extend(part.split_whitespace().map(|text| Run { text, quoted: false }));
        }
    }
    runs.retain(|run| run.text.chars().any(char::is_alphanumeric));
    runs
}

/// Splits text between dense and other scripts: `Rust评论` has two segments.
fn segments(text: &str) -> Vec<&str> {
    let mut segments = Vec::new();
    let mut start = 0;
    let mut dense = None;
    for (at, c) in text.char_indices() {
        let now = is_dense(c);
        if dense.is_some_and(|d| d != now) {
            segments.extend(text.get(start..at));
            start = at;
        }
        dense = Some(now);
    }
    segments.extend(text.get(start..));
    segments.retain(|s| s.chars().any(char::is_alphanumeric));
    segments
}

fn term(segment: &str, typing: bool) -> Option<String> {
    let chars: Vec<char> = segment.chars().collect();
    match chars.as_slice() {
        [] => None,
        [one] if is_dense(*one) => Some(format!("\"{one}\" *")),
        [first, ..] if is_dense(*first) => {
            let pairs: Vec<String> = chars.windows(2).map(|pair| pair.iter().collect()).collect();
            Some(format!("\"{}\"", pairs.join(" ")))
        }
        _ => {
            let star = if typing { " *" } else { "" };
            Some(format!("\"{}\"{star}", segment.replace('\0', " ")))
        }
    }
}

/// The first `most` characters, each run of white space as one space. It becomes a line feed if it ends a line, and two
/// if it holds an empty one, since Markdown goes by lines.
pub(crate) fn snippet(text: &str, most: usize) -> String {
    let mut out = String::new();
    let mut space: Option<u32> = None;
    for c in text.trim_start().chars().take(most) {
        if c.is_whitespace() {
            space = Some(space.unwrap_or_default() + u32::from(c == '\n'));
        } else {
            out.push_str(match space.take() {
                None => "",
                Some(0) => " ",
                Some(1) => "\n",
                Some(_) => "\n\n",
            });
            out.push(c);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dense_script_is_cut_into_pairs_and_the_rest_stays() {
        assert_eq!(segment("Backup done"), "Backup done");
        assert_eq!(segment("数据库"), " 数据 据库 库");
        assert_eq!(segment("用Rust写"), " 用 Rust 写");
        assert_eq!(segment("café"), "café");
    }

    #[test]
    fn a_query_holds_every_word_and_no_sign_of_its_own() {
        assert_eq!(query("disk full").unwrap(), "\"disk\" AND \"full\" *");
        assert_eq!(query("disk full ").unwrap(), "\"disk\" AND \"full\"");
        assert_eq!(query("\"disk full\" nas").unwrap(), "\"disk full\" AND \"nas\" *");
        assert_eq!(query("数据库").unwrap(), "\"数据 据库\"");
        assert_eq!(query("库").unwrap(), "\"库\" *");
        assert_eq!(query("Rust评论").unwrap(), "\"Rust\" AND \"评论\"");
        assert_eq!(query("NOT a* OR (b:c)").unwrap(), "\"NOT\" AND \"a*\" AND \"OR\" AND \"(b:c)\" *");
        assert_eq!(query("  -- \" "), None);
    }

    #[test]
    fn a_snippet_is_one_line() {
        assert_eq!(snippet("  a\r\n b\t c \n\n\n d", 400), "a\nb c\n\nd");
        assert_eq!(snippet("数据库备份", 2), "数据");
    }
}
