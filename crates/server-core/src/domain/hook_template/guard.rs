//! What is looked at in a template before its engine reads it. The engine nests one call in another for each operator, each
//! access and each filter of an expression, and for each `elif`, without a bound of its own.

use crate::domain::limits;

/// The words among the operators.
const OPERATORS: [&str; 7] = ["and", "else", "if", "in", "is", "not", "or"];
/// The characters that are operators, or begin an access, a call, a list or a map.
const OPERATOR_CHARS: &[u8] = b"!%(*+-./<=>[{|~";

/// Checks the expressions of a template.
///
/// # Errors
/// A sentence that names the line and the bound.
pub(super) fn check(template: &str) -> Result<(), String> {
    let (mut rest, mut branches) = (template, 0);
    while let Some((start, tag)) = next_tag(rest) {
        let line =
            || 1 + template.len().checked_sub(rest.len()).map_or(0, |before| lines(template, before + start));
        let inside = rest.get(start + 2..).unwrap_or_default();
        let end = match tag {
            Tag::Comment => inside.find("#}").unwrap_or(inside.len()),
            Tag::Expression | Tag::Statement => {
                let (end, operators) = expression(inside);
                if operators > limits::TOPIC_TEMPLATE_OPERATORS {
                    let most = limits::TOPIC_TEMPLATE_OPERATORS;
                    return Err(format!("line {}: an expression may have {most} operators", line()));
                }
                end
            }
        };
        if tag == Tag::Statement && first_word(inside) == "elif" {
            branches += 1;
            if branches > limits::TOPIC_TEMPLATE_BRANCHES {
                let most = limits::TOPIC_TEMPLATE_BRANCHES;
                return Err(format!("line {}: a template may have {most} `elif`", line()));
            }
        }
        rest = inside.get(end..).unwrap_or_default();
    }
    Ok(())
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Tag {
    Expression,
    Statement,
    Comment,
}

/// The next tag and where it begins.
fn next_tag(text: &str) -> Option<(usize, Tag)> {
    let bytes = text.as_bytes();
    bytes.windows(2).enumerate().find_map(|(at, pair)| {
        let tag = match pair {
            b"{{" => Tag::Expression,
            b"{%" => Tag::Statement,
            b"{#" => Tag::Comment,
            _ => return None,
        };
        Some((at, tag))
    })
}

fn lines(text: &str, end: usize) -> usize {
    text.bytes().take(end).filter(|byte| *byte == b'\n').count()
}

fn first_word(inside: &str) -> &str {
    let inside = inside.trim_start_matches(['-', '+']).trim_start();
    inside.split(|c: char| !is_of_word(c)).next().unwrap_or_default()
}

const fn is_of_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

/// Where an expression ends, and the number of its operators. What is in quotes is text.
fn expression(inside: &str) -> (usize, usize) {
    let (mut operators, mut word_from, mut quote, mut is_escaped) = (0, None, None, false);
    let bytes = inside.as_bytes();
    for (at, character) in inside.char_indices() {
        if let Some(open) = quote {
            match character {
                _ if is_escaped => is_escaped = false,
                '\\' => is_escaped = true,
                _ if character == open => quote = None,
                _ => {}
            }
            continue;
        }
        if is_of_word(character) {
            word_from.get_or_insert(at);
            continue;
        }
        let word = word_from.take().and_then(|from: usize| inside.get(from..at)).unwrap_or_default();
        operators += usize::from(OPERATORS.contains(&word));
        let closes = matches!(bytes.get(at..at + 2), Some(b"}}" | b"%}"));
        match character {
            _ if closes => return (at, operators),
            '"' | '\'' => quote = Some(character),
            _ => operators += usize::from(u8::try_from(character).is_ok_and(|c| OPERATOR_CHARS.contains(&c))),
        }
    }
    (inside.len(), operators)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expression_of(text: &str) -> (usize, usize) {
        expression(text)
    }

    #[test]
    fn operators_are_counted_outside_of_texts() {
        for (text, operators) in [
            (" a }}", 0),
            (" a.b|e(1) + -x }}", 5),
            (" 'a+b ~ \\' | c' ~ \"---\" %}", 1),
            ("if a is not none and b in c %}", 5),
            (" iffy + notable }}", 1),
            (" not_a or_b - in_ }}", 1),
            (" {'a': [1, 2]}['a'] }}", 3),
            (" a + b", 1),
        ] {
            assert_eq!(expression_of(text).1, operators, "{text}");
        }
    }

    #[test]
    fn a_page_of_signs_is_no_expression_and_a_long_one_is_named_by_its_line() {
        let page = format!(
            "{}\n{{# {} #}}{{{{ a }}}}{}",
            "-".repeat(4_000),
            "+".repeat(4_000),
            "a.b|c~d ".repeat(200)
        );
        check(&page).unwrap();
        let long = format!("{page}\n{{% if {} %}}", "a.".repeat(600));
        assert!(check(&long).unwrap_err().starts_with("line 3: an expression may have 500 operators"));
    }

    #[test]
    fn what_just_keeps_its_bound_is_no_fault_and_one_more_is() {
        let operators = |count: usize| check(&format!("a\n{{{{ 1{} }}}}", "+1".repeat(count)));
        let most = limits::TOPIC_TEMPLATE_OPERATORS;
        assert_eq!(operators(most), Ok(()));
        let said = format!("line 2: an expression may have {most} operators");
        assert_eq!(operators(most + 1), Err(said));
        for begins in ["{%", "{%-", "{%+ "] {
            let branches = |count: usize| check(&format!("{begins} elif a %}}").repeat(count));
            let most = limits::TOPIC_TEMPLATE_BRANCHES;
            assert_eq!(branches(most), Ok(()));
            assert_eq!(branches(most + 1), Err(format!("line 1: a template may have {most} `elif`")));
        }
        let none = "{% set a = 1 %}{{ elif }}{# {% elif a %} #}{% elif_a %}"
            .repeat(limits::TOPIC_TEMPLATE_BRANCHES + 1);
        assert_eq!(check(&none), Ok(()), "none of them is a branch");
    }
}
