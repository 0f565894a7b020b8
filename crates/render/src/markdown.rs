//! Markdown to safe HTML. Raw HTML becomes text, and remote images become boxes that the reader may open. Links lead
//! only to the web, to mail or to an item in the inbox.

use pulldown_cmark::{
    Alignment, CodeBlockKind, CowStr, Event, Options, Parser, Tag, TagEnd, TextMergeStream, html,
};
use tidings_ipc::OverBudget;
use tidings_model::text;

use crate::addresses::{LinkedEvents, link_start};
use crate::budget::{Budget, MAX_HTML_BYTES};
use crate::link::{openable_url, web_url};
use crate::sanitize::sanitize;
use crate::turn;

/// CommonMark with tables, strikethrough and task lists.
pub(crate) fn options() -> Options {
    Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS
}

/// Renders a body of at most [`super::budget::MAX_BODY_BYTES`] bytes. Every link has the address to which it leads as
/// `data-address`, and the host of that as `data-host`, both as they are shown to people. Every remote image is
/// `<span data-image="URL" data-host="HOST">alternative text</span>`. A block of code whose language is named is
/// `<pre><code data-language="NAME">`, and the box of a task is `<span data-task>☑</span>`.
///
/// # Errors
/// The limit of the budget that the body exceeds.
pub fn to_html(body: &str, budget: &mut Budget) -> Result<String, OverBudget> {
    let _turn = turn::take();
    let body = text::block(body);
    let mut out = String::with_capacity(body.len() * 2);
    let texts = TextMergeStream::new(Parser::new_ext(&body, options()));
    let linked = LinkedEvents::new(texts, budget);
    let mut events = budget.limit(linked);
    html::push_html(&mut out, SafeEvents::new(&mut events));
    events.finish()?;
    if out.len() > MAX_HTML_BYTES {
        return Err(OverBudget::Elements);
    }
    // Again, since the parser has decoded entities such as `&#x202e;`.
    Ok(sanitize(&out))
}

/// Replaces the events that must not reach the page unchanged.
struct SafeEvents<I> {
    events: I,
    columns: Vec<Alignment>,
    column: usize,
    in_head: bool,
}

impl<'a, I: Iterator<Item = Event<'a>>> SafeEvents<I> {
    const fn new(events: I) -> Self {
        Self { events, columns: Vec::new(), column: 0, in_head: false }
    }

    /// A table cell with its alignment as an attribute: a style would need an exception in the page's content policy.
    fn cell(&mut self) -> Event<'a> {
        let tag = if self.in_head { "th" } else { "td" };
        let align = match self.columns.get(self.column) {
            Some(Alignment::Left) => " align=\"left\"",
            Some(Alignment::Center) => " align=\"center\"",
            Some(Alignment::Right) => " align=\"right\"",
            _ => "",
        };
        self.column += 1;
        Event::InlineHtml(format!("<{tag}{align}>").into())
    }
}

impl<'a, I: Iterator<Item = Event<'a>>> Iterator for SafeEvents<I> {
    type Item = Event<'a>;

    fn next(&mut self) -> Option<Event<'a>> {
        Some(match self.events.next()? {
            Event::Html(text) | Event::InlineHtml(text) => Event::Text(text),
            Event::Start(Tag::Table(columns)) => {
                self.columns.clone_from(&columns);
                Event::Start(Tag::Table(columns))
            }
            Event::Start(Tag::TableHead) => {
                (self.in_head, self.column) = (true, 0);
                Event::Start(Tag::TableHead)
            }
            Event::End(TagEnd::TableHead) => {
                self.in_head = false;
                Event::End(TagEnd::TableHead)
            }
            Event::Start(Tag::TableRow) => {
                self.column = 0;
                Event::Start(Tag::TableRow)
            }
            Event::Start(Tag::TableCell) => self.cell(),
            Event::End(TagEnd::TableCell) => {
                Event::InlineHtml(if self.in_head { "</th>" } else { "</td>" }.into())
            }
            Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(info))) => {
                Event::InlineHtml(code_block_start(&info))
            }
            // A title from the sender would hide the address that the page shows there. If the address may not be
            // opened, the text stays without a link.
            Event::Start(Tag::Link { dest_url, .. }) => {
                Event::InlineHtml(openable_url(&dest_url).map_or("<a>".into(), |url| link_start(&url)))
            }
            Event::Start(Tag::Image { dest_url, .. }) => {
                Event::InlineHtml(image_placeholder_start(&dest_url))
            }
            Event::End(TagEnd::Image) => Event::InlineHtml("</span>".into()),
            Event::TaskListMarker(done) => {
                Event::InlineHtml(format!("<span data-task>{}</span> ", task_mark(done)).into())
            }
            other => other,
        })
    }
}

/// The box of a task, as text has it.
pub(crate) const fn task_mark(done: bool) -> char {
    if done { '☑' } else { '☐' }
}

fn image_placeholder_start<'a>(address: &str) -> CowStr<'a> {
    match web_url(address) {
        Some((url, host)) => {
            let (url, host) = (ammonia::clean_text(url.as_str()), ammonia::clean_text(&host));
            format!("<span data-image=\"{url}\" data-host=\"{host}\">").into()
        }
        None => "<span>".into(),
    }
}

/// The start of a code block; the language is the first word after the fence.
fn code_block_start<'a>(info: &str) -> CowStr<'a> {
    let language = info.split(|c: char| c.is_whitespace() || c == ',').next().unwrap_or_default();
    let known = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '#' | '.' | '_');
    if language.is_empty() || language.len() > 32 || !language.chars().all(known) {
        return "<pre><code>".into();
    }
    format!("<pre><code data-language=\"{language}\">").into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn to_html(body: &str) -> String {
        super::to_html(body, &mut Budget::default()).unwrap()
    }

    #[test]
    fn markdown_reads_as_it_should() {
        let html = to_html("A **bold** ~~no~~ `x`\n\n> quote\n\n```rust\nlet a = 1;\n```");
        for part in ["<strong>bold</strong>", "<del>no</del>", "<code>x</code>", "<blockquote>", "let a = 1;"]
        {
            assert!(html.contains(part), "{part} in {html}");
        }
    }

    #[test]
    fn a_task_list_shows_what_is_done() {
        let html = to_html("- [x] Build\n- [ ] Ship\n- [later] not a task");
        for part in ["☑</span> Build", "☐</span> Ship", "<li>[later] not a task"] {
            assert!(html.contains(part), "{part} in {html}");
        }
        assert_eq!(html.matches("<span data-task").count(), 2, "{html}");
        assert!(!html.contains("input"), "nothing can be ticked: {html}");
    }

    #[test]
    fn a_table_keeps_its_alignment_without_a_style() {
        let html = to_html("| a | b |\n|---|--:|\n| 1 | 2 |");
        assert!(html.contains("<th align=\"right\">b</th>"), "{html}");
        assert!(html.contains("<td align=\"right\">2</td>"), "{html}");
        assert!(html.contains("<td>1</td>"), "{html}");
        assert!(!html.contains("style"), "{html}");
    }

    #[test]
    fn a_block_of_code_names_its_language_and_nothing_else() {
        assert_eq!(
            to_html("```rust,ignore\nlet a = 1 < 2;\n```"),
            "<pre><code data-language=\"rust\">let a = 1 &lt; 2;\n</code></pre>\n"
        );
        for plain in ["```\na\n```", "    a", "```\"><b onclick=1>\na\n```", "```é\na\n```"] {
            let html = to_html(plain);
            assert!(html.starts_with("<pre><code>a"), "{plain} gave {html}");
        }
        assert_eq!(to_html("`a`"), "<p><code>a</code></p>\n");
    }

    #[test]
    fn nothing_hostile_gets_through() {
        for text in [
            "<script>alert(1)</script>",
            "<img src=x onerror=alert(1)>",
            "[x](javascript:alert(1))",
            "[x](data:text/html,hi)",
            "![x](\"><script>alert(1)</script>)",
            "<a href=\"javascript:alert(1)\">x</a>",
            "<style>*{display:none}</style>",
            "<svg/onload=alert(1)>",
            "[x](/relative)",
            "[x](file:///etc/passwd)",
        ] {
            let html = to_html(text);
            for bad in [
                "<script",
                "<img",
                "<style",
                "<svg",
                "<a href=\"j",
                "<a href=\"d",
                "<a href=\"/",
                "<a href=\"f",
            ] {
                assert!(!html.contains(bad), "{text} gave {html}");
            }
        }
        assert!(to_html("<script>alert(1)</script>").contains("&lt;script&gt;"), "it is shown as text");
    }

    #[test]
    fn a_link_shows_its_address_and_nothing_of_its_senders_over_it() {
        let html = to_html("[bank](https://evil.example/ \"https://bank.example/\")");
        assert!(html.contains("href=\"https://evil.example/\"") && !html.contains("title"), "{html}");
        let html = to_html("[m](mailto:a@example.org?subject=x&attach=/etc/passwd&body=y)");
        assert!(html.contains("href=\"mailto:a@example.org?subject=x&amp;body=y\""), "{html}");
        assert!(to_html("[t](tidings://thread/7)").contains("href=\"tidings://thread/7\""));
        let html = to_html("`\u{202e}x` [\u{202e}cod.exe\u{2066}](https://a.example/)");
        assert!(html.contains("<code>x</code>") && html.contains(">cod.exe</a>"), "{html}");
        let html = to_html("[a](https://xn--pple-43d.example/) [b](https://xn--bcher-kva.example/)");
        assert!(
            html.contains(
                "data-address=\"https://xn--pple-43d.example/\" data-host=\"xn--pple-43d.example\""
            ),
            "{html}"
        );
        assert!(
            html.contains("data-address=\"https://bücher.example/\" data-host=\"bücher.example\""),
            "{html}"
        );
    }

    #[test]
    fn a_character_that_is_written_as_an_entity_turns_no_text_around() {
        for entity in
            ["&#x202e;", "&#8238;", "&#X202E;", "&#x2066;", "&#x200f;", "&#x61c;", "&rlm;", "&#27;", "&#x9b;"]
        {
            let html = to_html(&format!(
                "# a{entity}b\n\n[{entity}moc.knab](https://evil.example/{entity}x) ![{entity}c](https://img.example/)\n\n\
                 | {entity}d |\n|---|\n| [r]{entity} |\n\n[r]: https://evil.example/ \"{entity}\""
            ));
            assert!(html.contains(">moc.knab</a>") && html.contains("<h1>ab</h1>"), "{entity} gave {html}");
            let turns = |c: char| text::is_direction(c) || (c.is_control() && c != '\n');
            assert!(!html.contains(turns), "{entity} gave {html:?}");
        }
        let html = to_html("`&#x202e;` &amp;#x202e;");
        assert!(
            html.contains("<code>&amp;#x202e;</code> &amp;#x202e;"),
            "what was written as text stays text: {html}"
        );
    }

    #[test]
    fn a_link_that_would_open_nothing_is_none() {
        let long = format!("[m](mailto:a@example.org?body={})", "x".repeat(20_000));
        for body in ["[t](tidings://run/rm)", "[h](https://)", &long] {
            let html = to_html(body);
            assert!(!html.contains("href"), "{html:.200}");
        }
    }

    #[test]
    fn a_remote_image_waits_for_its_reader() {
        let html = to_html("![A chart](https://img.example.org/a.png?x=1&y=2)");
        assert!(
            html.contains(
                "<span data-image=\"https://img.example.org/a.png?x=1&amp;y=2\" data-host=\"img.example.org\">A chart</span>"
            ),
            "{html}"
        );
        let html = to_html("![pixel](file:///etc/passwd)");
        assert!(!html.contains("data-image") && html.contains("pixel"), "{html}");
    }
}
