//! Tests of addresses in text: which of them become links, where these lead, and the cost of hostile text.

use std::time::{Duration, Instant};

use super::super::markdown::to_html;
use super::*;

/// The links that a plain text has: their text and their targets.
fn links(text: &str) -> Vec<(String, String)> {
    let mut left = MAX_LINKS;
    let found = pieces(text, &mut left);
    let all: String = found.iter().map(|piece| piece.text).collect();
    assert_eq!(all, text, "no letter is lost");
    found.into_iter().filter_map(|piece| Some((piece.text.to_owned(), piece.target?.into()))).collect()
}

fn texts(text: &str) -> Vec<String> {
    links(text).into_iter().map(|(text, _)| text).collect()
}

#[test]
fn an_address_is_a_link_as_far_as_a_reader_would_say_it_goes() {
    for (text, link) in [
        ("See https://example.org/a_b?c=d#e.", "https://example.org/a_b?c=d#e"),
        ("(http://example.org/a_(b))", "http://example.org/a_(b)"),
        ("\"HTTPS://Example.org\", he said", "HTTPS://Example.org"),
        ("<https://example.org/>", "https://example.org/"),
        ("http://127.0.0.1:8080/x", "http://127.0.0.1:8080/x"),
        ("www.example.org/a, or not", "www.example.org/a"),
        ("mail bob+x@example.org!", "bob+x@example.org"),
        ("mailto:bob@example.org", "bob@example.org"),
        ("见https://example.org/a，谢谢", "https://example.org/a"),
        ("（https://example.org）", "https://example.org"),
        ("请访问https://example.org查看", "https://example.org"),
        ("https://例子.中国/路径。", "https://例子.中国/路径"),
        ("(http://пример.рф).", "http://пример.рф"),
    ] {
        assert_eq!(texts(text), [link], "{text}");
    }
    assert_eq!(links("www.example.org")[0].1, "http://www.example.org/");
    assert_eq!(links("bob@example.org")[0].1, "mailto:bob@example.org");
    assert_eq!(texts("https://a.example，https://b.example\nhttps://c.example").len(), 3);
}

#[test]
fn what_only_looks_like_an_address_stays_text() {
    for text in [
        "main.rs and README.md",
        "a.www.example.org.txt",
        "ftp://example.org file:///etc/passwd javascript://example.org/%0aalert(1) tidings://open/1",
        "10:30 1.2.3 ratio 3:4",
        "https:// http://",
        "https://localhost_ http://a..рф/",
        "@someone a@b",
        &format!("https://example.org/{}", "x".repeat(MAX_ADDRESS_BYTES)),
    ] {
        assert_eq!(links(text), [], "{text:.80}");
    }
}

#[test]
fn plain_text_keeps_its_letters_and_gets_nothing_but_links() {
    let html = linked("a <b>&amp;\n  https://example.org/?x=\"1&y=2 'c'", &mut Budget::default()).unwrap();
    assert_eq!(
        html,
        "a &lt;b&gt;&amp;amp;\n  <a href=\"https://example.org/?x=\" data-address=\"https://example.org/?x=\" \
         data-host=\"example.org\" rel=\"noopener noreferrer\">https://example.org/?x=</a>\"1&amp;y=2 'c'"
    );
    assert_eq!(linked("nothing & nobody", &mut Budget::default()), None);
}

#[test]
fn addresses_in_markdown_are_links_but_not_in_code_links_or_images() {
    let html = |text: &str| to_html(text, &mut Budget::default()).unwrap();
    for text in [
        "See https://example.org/a_b_c.",
        "**https://example.org/a_b_c**",
        "> - https://example.org/a_b_c",
        "| a |\n|---|\n| https://example.org/a_b_c |",
        "https://example.org/a&#95;b_c",
    ] {
        let html = html(text);
        assert!(html.contains("<a href=\"https://example.org/a_b_c\""), "{html}");
        assert!(html.contains(">https://example.org/a_b_c</a>"), "{html}");
    }
    for text in [
        "`https://a.example/`",
        "```\nhttps://a.example/\n```",
        "    https://a.example/",
        "<b title=https://a.example/>",
    ] {
        assert!(!html(text).contains("<a "), "{}", html(text));
    }
    for text in ["[https://a.example/](https://b.example/)", "<https://b.example/>"] {
        assert_eq!(html(text).matches("<a ").count(), 1, "{}", html(text));
        assert!(html(text).contains("href=\"https://b.example/\""), "{}", html(text));
    }
    let image = html("![see https://a.example/](https://b.example/c.png)");
    assert!(!image.contains("<a ") && image.contains("see https://a.example/"), "{image}");
}

#[test]
fn characters_that_turn_text_around_are_in_no_link() {
    for body in ["https://a.example/\u{202e}gpj.exe", "https://a.example/&#x202e;gpj.exe"] {
        let html = to_html(body, &mut Budget::default()).unwrap();
        assert!(html.contains(">https://a.example/gpj.exe</a>"), "{html:?}");
        assert!(html.contains("href=\"https://a.example/gpj.exe\""), "{html:?}");
    }
    let html =
        linked("https://a.example/\u{200b}x https://\u{200b}b.example/", &mut Budget::default()).unwrap();
    assert!(
        html.contains("href=\"https://a.example/%E2%80%8Bx\"")
            && html.contains("href=\"https://b.example/\""),
        "{html}"
    );
}

#[test]
fn a_hundred_thousand_addresses_become_a_bounded_number_of_links() {
    let body = "http://a.bc ".repeat(100_000);
    let body = super::super::budget::prefix(&body, super::super::budget::MAX_BODY_BYTES);
    for html in
        [linked(body, &mut Budget::default()).unwrap(), to_html(body, &mut Budget::default()).unwrap()]
    {
        assert_eq!(html.matches("<a ").count(), MAX_LINKS);
    }
    // The elements of the page are shared by its bodies.
    let mut budget = Budget::default();
    let body = super::super::budget::prefix(body, 20_000);
    let links: usize =
        (0..30).filter_map(|_| linked(body, &mut budget)).map(|html| html.matches("<a ").count()).sum();
    assert_eq!(links, 24_000);
}

#[test]
fn text_that_is_meant_to_be_slow_is_searched_in_proportion_to_its_length() {
    let n = 256 << 10;
    let rep = |unit: &str| unit.repeat(n / unit.len());
    for (name, text) in [
        ("dots and lines", rep("a.a_")),
        ("bare hosts", rep("www.a_a.")),
        ("bare hosts in words", rep("www.a_a.www.a_ ")),
        ("schemes", rep("a://")),
        ("schemes with users", rep("http://a_")),
        ("mail", rep("a@")),
        ("mail with lines", rep("a@b_c.de")),
        ("open brackets", format!("http://a.bc/{}", rep("(:"))),
        ("colons", rep(":")),
        ("dots", rep(".")),
        ("full stops", rep("http://a.bc。")),
        ("long hosts", format!("https://{}", rep("ä."))),
    ] {
        let started = Instant::now();
        let _ = linked(&text, &mut Budget::default());
        // If the work grows with the square of the length, each takes minutes.
        assert!(started.elapsed() < Duration::from_secs(30), "{name}: {:?}", started.elapsed());
    }
}
