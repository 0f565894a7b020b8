//! Regular expressions, in the syntax that Go's and Rust's have in common. Patterns, texts and what is found are bounded.

use std::time::{Duration, Instant};

use gotmpl::{Result, TemplateError, Value};
use regex::{Captures, Regex, RegexBuilder};

use super::numbers::whole;
use super::{Function, argument, check_bytes, failed, text_of};

pub(super) const FUNCTIONS: &[(&str, Function)] = &[
    ("regexMatch", matches),
    ("mustRegexMatch", must_match),
    ("regexFind", find),
    ("mustRegexFind", find),
    ("regexFindAll", find_all),
    ("mustRegexFindAll", find_all),
    ("regexReplaceAll", replace_all),
    ("mustRegexReplaceAll", replace_all),
    ("regexReplaceAllLiteral", replace_all_literal),
    ("mustRegexReplaceAllLiteral", replace_all_literal),
    ("regexSplit", split),
    ("mustRegexSplit", split),
    ("regexQuoteMeta", quote_meta),
];

/// Bytes of a pattern.
const MAX_PATTERN_BYTES: usize = 1024;
/// Bytes of a text that is searched.
const MAX_TEXT_BYTES: usize = 32 * 1024;
/// Bytes of a pattern once it is compiled, and of the memory of a search.
const MAX_COMPILED_BYTES: usize = 256 * 1024;
/// Nesting depth of the groups of a pattern.
const MAX_DEPTH: u32 = 50;
/// Matches of one call, at most.
const MAX_MATCHES: usize = 10_000;
/// The time after which a call looks for no further match.
const MATCH_TIME: Duration = Duration::from_millis(250);

/// A pattern, the first argument, to search a text with.
fn pattern(arguments: &[Value]) -> Result<Regex> {
    let text = text_of(argument(arguments, 0))?;
    if text.len() > MAX_PATTERN_BYTES {
        return failed("the regular expression is too long");
    }
    let built = RegexBuilder::new(&text)
        .size_limit(MAX_COMPILED_BYTES)
        .dfa_size_limit(MAX_COMPILED_BYTES)
        .nest_limit(MAX_DEPTH)
        .build();
    built.map_err(|e| TemplateError::Exec(format!("the regular expression is invalid: {e}")))
}

/// The text to search, the second argument.
fn searched(arguments: &[Value]) -> Result<String> {
    let text = text_of(argument(arguments, 1))?;
    if text.len() > MAX_TEXT_BYTES {
        return failed("the text is too long for a regular expression");
    }
    Ok(text)
}

/// How many results are asked for, the third argument; a negative number is all.
fn asked(arguments: &[Value]) -> usize {
    usize::try_from(whole(argument(arguments, 2)).unwrap_or(0)).unwrap_or(usize::MAX)
}

/// Counts the matches of one call and its time.
struct PatternSearch {
    ends_at: Instant,
    matches: usize,
}

impl PatternSearch {
    fn new() -> Self {
        Self { ends_at: Instant::now() + MATCH_TIME, matches: 0 }
    }

    /// Counts a further match.
    ///
    /// # Errors
    /// An error for more than [`MAX_MATCHES`], or if they take too long.
    fn count(&mut self) -> Result<()> {
        self.matches += 1;
        if self.matches > MAX_MATCHES || Instant::now() > self.ends_at {
            return failed("the regular expression needs too much work");
        }
        Ok(())
    }
}

/// `regexMatch "[0-9]+" .text`; an invalid pattern matches nothing.
fn matches(arguments: &[Value]) -> Result<Value> {
    let text = searched(arguments)?;
    Ok(Value::Bool(pattern(arguments).is_ok_and(|pattern| pattern.is_match(&text))))
}

fn must_match(arguments: &[Value]) -> Result<Value> {
    Ok(Value::Bool(pattern(arguments)?.is_match(&searched(arguments)?)))
}

/// `regexFind "[0-9]+" .text`: the first match; empty if there is none.
fn find(arguments: &[Value]) -> Result<Value> {
    let text = searched(arguments)?;
    Ok(pattern(arguments)?.find(&text).map_or("", |found| found.as_str()).into())
}

/// `regexFindAll "[0-9]+" .text -1`: a list of the first matches.
fn find_all(arguments: &[Value]) -> Result<Value> {
    let text = searched(arguments)?;
    let (mut search, mut found) = (PatternSearch::new(), Vec::new());
    for one in pattern(arguments)?.find_iter(&text).take(asked(arguments)) {
        search.count()?;
        found.push(Value::from(one.as_str()));
    }
    Ok(found.into())
}

fn whole_match<'t>(captures: &Captures<'t>) -> &'t str {
    captures.get(0).map_or("", |found| found.as_str())
}

/// `regexReplaceAll "(a)(b)" .text "$2${1}"`.
fn replace_all(arguments: &[Value]) -> Result<Value> {
    replaced(arguments, |captures, by, out| {
        // Each dollar sign stands for no more than the match.
        let groups = by.matches('$').count().saturating_mul(whole_match(captures).len());
        check_bytes(out.len().saturating_add(by.len()).saturating_add(groups))?;
        captures.expand(by, out);
        Ok(())
    })
}

/// Like `regexReplaceAll`, but a dollar sign is a dollar sign.
fn replace_all_literal(arguments: &[Value]) -> Result<Value> {
    replaced(arguments, |_, by, out| {
        check_bytes(out.len().saturating_add(by.len()))?;
        out.push_str(by);
        Ok(())
    })
}

/// The text with something in place of each match.
fn replaced(
    arguments: &[Value],
    write: impl Fn(&Captures<'_>, &str, &mut String) -> Result<()>,
) -> Result<Value> {
    let (text, by) = (searched(arguments)?, text_of(argument(arguments, 2))?);
    let (mut search, mut out, mut from) = (PatternSearch::new(), String::new(), 0);
    for captures in pattern(arguments)?.captures_iter(&text) {
        search.count()?;
        let Some(range) = captures.get(0).map(|found| found.range()) else { continue };
        out.push_str(text.get(from..range.start).unwrap_or_default());
        write(&captures, &by, &mut out)?;
        from = range.end;
    }
    out.push_str(text.get(from..).unwrap_or_default());
    check_bytes(out.len())?;
    Ok(out.into())
}

/// `regexSplit ", *" .text -1`: the parts between matches, the last of which is the rest.
fn split(arguments: &[Value]) -> Result<Value> {
    let (text, count) = (searched(arguments)?, asked(arguments));
    let Some(cuts) = count.checked_sub(1) else { return Ok(Vec::new().into()) };
    let (mut search, mut parts, mut from) = (PatternSearch::new(), Vec::new(), 0);
    for found in pattern(arguments)?.find_iter(&text) {
        search.count()?;
        let range = found.range();
        // As in Go, nothing at the beginning or the end separates nothing.
        if parts.len() == cuts || (range.is_empty() && (range.start == 0 || range.end == text.len())) {
            continue;
        }
        parts.push(Value::from(text.get(from..range.start).unwrap_or_default()));
        from = range.end;
    }
    parts.push(text.get(from..).unwrap_or_default().into());
    Ok(parts.into())
}

/// A text as a pattern that matches just it.
fn quote_meta(arguments: &[Value]) -> Result<Value> {
    let text = text_of(argument(arguments, 0))?;
    check_bytes(text.len().saturating_mul(2))?;
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if r"\.+*?()|[]{}^$".contains(c) {
            out.push('\\');
        }
        out.push(c);
    }
    Ok(out.into())
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use crate::engine::{RenderError, render};
    use crate::json::{read, value_of};

    fn filled(text: &str, json: serde_json::Value) -> Result<String, RenderError> {
        render(text, &value_of(json), read)
    }

    #[test]
    fn regular_expressions_find_split_and_replace() {
        for (text, expected) in [
            (
                r#"{{regexMatch "^a[0-9]+$" "a12"}} {{mustRegexMatch "b" "a"}} {{regexMatch "(" "a"}}"#,
                "true false false",
            ),
            (r#"{{regexFind "[0-9]+" "ab12c345"}}|{{regexFind "x" "ab"}}"#, "12|"),
            (
                r#"{{regexFindAll "[0-9]" "1a2b3" -1 | join ","}} {{regexFindAll "[0-9]" "1a2b3" 2 | join ","}}"#,
                "1,2,3 1,2",
            ),
            (r#"{{regexReplaceAll "a(x*)b" "-ab-axxb-" "${1}W"}}"#, "-W-xxW-"),
            (r#"{{regexReplaceAllLiteral "a(x*)b" "-ab-axxb-" "${1}"}}"#, "-${1}-${1}-"),
            (
                r#"{{regexSplit "z+" "pizza" -1 | join "|"}} {{regexSplit "z" "pizza" 2 | join "|"}} {{len (regexSplit "z" "a" 0)}}"#,
                "pi|a pi|za 0",
            ),
            (
                r#"{{regexSplit "" "abc" -1 | join "|"}} {{regexQuoteMeta "1.5 (a-b)"}}"#,
                r"a|b|c 1\.5 \(a-b\)",
            ),
        ] {
            assert_eq!(filled(text, serde_json::Value::Null).as_deref(), Ok(expected), "{text}");
        }
    }

    #[test]
    fn no_regular_expression_takes_long_or_grows_without_end() {
        let begun = Instant::now();
        let texts = serde_json::json!({"a": "a".repeat(20_000), "long": "a".repeat(40_000), "pattern": "(".repeat(2_000)});
        for text in [
            r#"{{regexFind "(" "a"}}"#,
            r#"{{regexFind "a{1000}{1000}" "a"}}"#,
            r#"{{regexFind .pattern "a"}}"#,
            r#"{{regexMatch "a" .long}}"#,
            r#"{{regexFindAll "a" .a -1}}"#,
            r#"{{regexReplaceAll "a+" .a (repeat 500 "$0")}}"#,
            r#"{{range 50000}}{{$x := regexFindAll ".*[^a]|b" $.a -1}}{{end}}"#,
        ] {
            let refused = filled(text, texts.clone());
            assert!(matches!(refused, Err(RenderError::Failed(_))), "{text}: {refused:?}");
        }
        assert!(begun.elapsed() < Duration::from_secs(30), "all of them together");
    }
}
