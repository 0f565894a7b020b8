//! Tests of bodies that are meant to be slow: each is laid out or shown as plain text, in time linear in its length.

use std::fs;
use std::sync::LazyLock;
use std::time::{Duration, Instant};

use pulldown_cmark::Parser;

use super::super::markdown::{options, to_html};
use super::*;

/// Bodies of about `n` bytes each that make parsers, sanitisers and pages search, nest or repeat.
fn shapes(n: usize) -> Vec<(&'static str, String)> {
    let rep = |unit: &str| unit.repeat(n / unit.len());
    let stairs = |step: &str, last: &str| {
        let mut text = String::new();
        let mut depth = 0;
        while text.len() < n {
            text.push_str(&step.repeat(depth));
            text.push_str(last);
            depth += 1;
        }
        text
    };
    let mut ticks = String::new();
    while ticks.len() < n {
        ticks.push_str(&"`".repeat(1 + ticks.len() % 701));
        ticks.push(' ');
    }
    vec![
        ("quotes", rep(">")),
        ("quotes apart", rep("> ")),
        ("numbers", rep("1. ")),
        ("quotes and lists", rep("> - ")),
        ("bullets", rep("- ")),
        ("quotes in steps", stairs("> ", "a\n")),
        ("lists in steps", stairs("  ", "- a\n")),
        ("quotes and lazy lines", format!("{}\n{}", "> ".repeat(n / 4), "a\n".repeat(n / 4))),
        ("quotes and empty lines", format!("{}\n{}", ">".repeat(n / 2), ">\n".repeat(n / 4))),
        ("emphasis", rep("*_")),
        ("emphasis with letters", rep("*_*a")),
        ("strong emphasis", rep("*a **b ")),
        ("emphasis inside emphasis", format!("{}a{}", "*a _b ".repeat(n / 12), "_ *".repeat(n / 6))),
        ("struck out", rep("~~a ")),
        ("brackets", rep("[")),
        ("nested brackets", format!("{}a{}", "[".repeat(n / 2), "]".repeat(n / 2))),
        ("half links", rep("[a](<b")),
        ("links", rep("[a](http://b.example/)")),
        ("images", rep("![a](http://b.example/c)")),
        ("half images", rep("![")),
        ("nested images", format!("{}a{}", "![".repeat(n / 5), "](b)".repeat(n / 6))),
        ("mail addresses", rep("<a@b.c>")),
        ("one long reference", format!("[a]: http://{}\n\n{}", "b".repeat(n / 2), "[a]".repeat(n / 6))),
        ("references", (0..n / 12).map(|i| format!("[{i}]: /x\n[{i}]")).collect::<Vec<_>>().concat()),
        (
            "a wide table",
            format!("|{}\n|{}\n{}", "a|".repeat(n / 8), "-|".repeat(n / 8), "|\n".repeat(n / 4)),
        ),
        ("a long table", format!("|a|b|\n|-|-|\n{}", "|1|2|\n".repeat(n / 6))),
        ("elements", rep("<div>")),
        ("elements in a line", rep("a<b>")),
        ("half comments", rep("<!--")),
        ("half sections", rep("<![CDATA[")),
        ("half instructions", rep("a<?")),
        ("half declarations", rep("a<!A ")),
        ("backticks", ticks),
        ("fences", rep("```\n")),
        ("code in a language", format!("```rust\n{}\n```", rep("let a = b(\"c\");"))),
        ("headings", rep("#\n")),
        ("underlined headings", rep("a\n=\n")),
        ("rules", rep("---\n")),
        ("escapes", rep("\\*")),
        ("entities", rep("&amp;")),
        ("one long line", rep("a")),
        ("short lines", rep("a\n")),
        ("hard breaks", rep("a  \n")),
    ]
}

/// The number of elements, and their deepest nesting.
fn measured(html: &str) -> (usize, usize) {
    let (mut elements, mut depth, mut deepest) = (0, 0_usize, 0);
    for tag in html.split('<').skip(1) {
        if tag.starts_with('/') {
            depth = depth.saturating_sub(1);
        } else {
            elements += 1;
            if !["br", "hr"].iter().any(|void| tag.starts_with(void)) {
                depth += 1;
            }
            deepest = deepest.max(depth);
        }
    }
    (elements, deepest)
}

/// The processor time of this thread, which does not grow while others have the processor; elsewhere than on Linux the
/// time since the first call.
fn processor_time() -> Duration {
    static FIRST_CALL: LazyLock<Instant> = LazyLock::new(Instant::now);
    let stat = fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanos = stat.and_then(|stat| stat.split(' ').next()?.parse().ok());
    nanos.map_or_else(|| FIRST_CALL.elapsed(), Duration::from_nanos)
}

/// Runs this on a small stack: a parser, sanitiser or drop that calls itself for each level or element aborts the program.
fn on_a_small_stack(work: impl FnOnce() + Send + 'static) {
    let thread = std::thread::Builder::new().stack_size(256 << 10).spawn(work);
    thread.unwrap().join().unwrap();
}

#[test]
fn a_body_of_any_shape_is_laid_out_in_proportion_to_its_length_on_a_small_stack() {
    on_a_small_stack(|| {
        for n in [64 << 10, 256 << 10] {
            for (name, text) in shapes(n) {
                let text = super::super::budget::prefix(&text, MAX_BODY_BYTES);
                let started = processor_time();
                let mut budget = Budget::default();
                let html = to_html(text, &mut budget);
                // Each took minutes or more if the work grew with the square of the length.
                let took = processor_time().saturating_sub(started);
                assert!(took < Duration::from_secs(30), "{name}, {n} bytes: {took:?}");
                assert!(
                    budget.elements >= MAX_PAGE_ELEMENTS - MAX_ELEMENTS - 1,
                    "{name}: a body takes its own share only"
                );
                let Ok(html) = html else { continue };
                let (elements, deepest) = measured(&html);
                // A table has a few elements besides its cells.
                assert!(elements <= MAX_ELEMENTS + 8, "{name}: {elements} elements");
                assert!(deepest <= MAX_DEPTH + 2, "{name}: {deepest} deep");
                assert!(html.len() <= 2 * MAX_HTML_BYTES, "{name}: {} bytes", html.len());
            }
        }
    });
}

#[test]
fn a_body_of_any_shape_is_shown_as_plain_text_or_dropped_half_way_on_a_small_stack() {
    on_a_small_stack(|| {
        for (name, text) in shapes(256 << 10) {
            let text = super::super::budget::prefix(&text, MAX_BODY_BYTES);
            let _ = super::super::addresses::linked(text, &mut Budget::default());
            let _ = super::super::plain::line(text, tidings_model::Format::Markdown, 4_000);
            assert!(
                Parser::new_ext(text, options()).take(3).count() <= 3,
                "{name}: it is parsed, and dropped half-way"
            );
        }
    });
}

#[test]
fn the_parser_itself_makes_no_more_events_than_a_few_for_each_byte() {
    for (name, text) in shapes(64 << 10) {
        // The parser fills short rows of a table up to a limit of its own.
        let most = 3 * text.len() + (1 << 18) * 3;
        assert!(Parser::new_ext(&text, options()).take(most + 1).count() <= most, "{name}");
    }
}

#[test]
fn what_is_nested_as_people_nest_it_is_laid_out_and_the_rest_says_why_not() {
    let mut budget = Budget::default();
    let mail: Vec<_> = (0..20).map(|depth| format!("{}line {depth}\n", "> ".repeat(depth))).collect();
    let mail = mail.concat();
    assert!(to_html(&mail, &mut budget).unwrap().contains("line 19"));
    assert_eq!(to_html(&"> - ".repeat(100), &mut budget), Err(OverBudget::Depth));
    assert_eq!(to_html(&"# a\n".repeat(20_000), &mut budget), Err(OverBudget::Elements));
    // The bodies before it on the page have used up part of the budget.
    let mut spent = Budget::default();
    let long = "# a\n".repeat(7_000);
    let laid_out = (0..10).filter(|_| to_html(&long, &mut spent).is_ok()).count();
    assert_eq!(laid_out, MAX_PAGE_ELEMENTS / 7_000);
    let mut full = Budget::default();
    let body = "备".repeat(100_000);
    let shown: usize = (0..50).map(|_| full.cut(&body).0.len()).sum();
    assert!(shown <= MAX_PAGE_BYTES + MAX_BODY_BYTES + 50 * MIN_BODY_BYTES, "{shown}");
    assert_eq!(full.cut(&body).1, Some(OverBudget::Length));
    assert_eq!(full.cut("short"), ("short", None));
}

/// The elements that a body may have in the page.
const ELEMENTS: &str =
    "a blockquote br code del em h1 h2 h3 h4 h5 h6 hr li ol p pre span strong table tbody td th thead tr ul";

/// The tags of HTML as it was serialized, without their brackets.
fn tags(html: &str) -> Vec<&str> {
    let (mut tags, mut rest) = (Vec::new(), html);
    while let Some((_, from)) = rest.split_once('<') {
        let mut is_quoted = false;
        let ends = |sign: char| {
            is_quoted ^= sign == '"';
            sign == '>' && !is_quoted
        };
        let (tag, after) = from.split_at(from.find(ends).expect("the end of a tag"));
        tags.push(tag);
        rest = after;
    }
    tags
}

#[test]
fn whatever_a_body_says_its_html_has_no_other_elements_and_opens_no_other_addresses() {
    tidings_testkit::fuzz::run("markdown", 800, |input| {
        let body = String::from_utf8_lossy(input);
        let Ok(html) = to_html(&body, &mut Budget::default()) else { return };
        assert!(html.len() <= 2 * MAX_HTML_BYTES);
        let tags = tags(&html);
        assert!(tags.iter().filter(|tag| !tag.starts_with('/')).count() <= MAX_ELEMENTS + 8);
        for tag in tags {
            let name = tag.trim_start_matches('/').split(' ').next().unwrap_or_default();
            assert!(ELEMENTS.split(' ').any(|known| known == name), "<{tag}> in {html}");
            if let Some((_, href)) = tag.split_once(" href=\"") {
                let schemes = ["http://", "https://", "mailto:", "tidings:"];
                assert!(schemes.iter().any(|scheme| href.starts_with(scheme)), "<{tag}>");
            }
            assert!(![" on", " style=", " src="].iter().any(|bad| attributes(tag).contains(bad)), "<{tag}>");
        }
    });
}

/// A tag without the values of its attributes.
fn attributes(tag: &str) -> String {
    tag.split('"').step_by(2).collect()
}
