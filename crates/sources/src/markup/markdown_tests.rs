//! Tests of the Markdown that HTML becomes.

use super::*;

fn markdown(html: &str) -> String {
    let base: Url = "https://blog.example/posts/1".parse().unwrap();
    to_markdown(html, Some(&base))
}

#[test]
fn paragraphs_lists_and_code_keep_their_form() {
    for (html, expected) in [
        ("<p>One  <b>two </b>three</p>\n<p>four<br>five</p>", "One **two** three\n\nfour  \nfive"),
        ("a<br><br>b", "a\n\nb"),
        ("<h2>Title</h2><div><div>text</div></div>", "## Title\n\ntext"),
        (
            "<p>x</p><ul><li>a</li><li><p>b</p><ol><li>c<li>d</ol></li></ul>y",
            "x\n\n- a\n- b\n\n  1. c\n  2. d\n\ny",
        ),
        ("<blockquote><p>said</p><p>more</p></blockquote>after", "> said\n>\n> more\n\nafter"),
        (
            "<pre><code class=\"hl language-rust\">fn a() {}\n  // b\n</code></pre>z",
            "```rust\nfn a() {}\n  // b\n```\n\nz",
        ),
        ("use <code>a`b</code> or <kbd>q</kbd>", "use ``a`b`` or `q`"),
        ("<table><tr><th>A<th>B<tr><td>1<td>2</table>", "A | B  \n1 | 2"),
        ("<i></i> a <em> b </em> c<hr>d", "a *b* c\n\n* * *\n\nd"),
    ] {
        assert_eq!(markdown(html), expected, "{html}");
    }
}

#[test]
fn links_and_pictures_are_resolved_and_lead_to_the_web_or_are_text() {
    for (html, expected) in [
        ("<a href=/a>there</a>", "[there](https://blog.example/a)"),
        ("Look!<a href='2'>two</a>", "Look\\![two](https://blog.example/posts/2)"),
        ("<a href='https://x.example/a_(b)'>x</a>", "[x](https://x.example/a_%28b%29)"),
        (
            "<a href='https://x.example/a'><span>https://</span><span>x.example/a</span></a>",
            "<https://x.example/a>",
        ),
        (
            "<a href='javascript:alert(1)'>no</a> <a href=mailto:a@b.example>mail</a>",
            "no [mail](mailto:a@b.example)",
        ),
        ("<img src=p.png alt='a  [pic]'>", "![a \\[pic\\]](https://blog.example/posts/p.png)"),
        ("<img src=//t.example/x.gif width=1 height=1><img src='data:image/png;base64,AAAA'>x", "x"),
        (
            "<a href=/a><img src=/p.png alt=p></a>",
            "[![p](https://blog.example/p.png)](https://blog.example/a)",
        ),
    ] {
        assert_eq!(markdown(html), expected, "{html}");
    }
}

#[test]
fn text_is_never_read_as_markup_again() {
    for (html, expected) in [
        (
            "*a* _b_ snake_case [x](y) &lt;b&gt; AT&amp;T",
            "\\*a\\* \\_b\\_ snake_case \\[x\\](y) \\<b> AT\\&T",
        ),
        ("<p># no</p><p>1. no</p><p>- no</p><p>&gt; no</p>", "\\# no\n\n1\\. no\n\n\\- no\n\n\\> no"),
        ("<script>alert('x')</script><style>b{}</style><svg><a>s</a></svg>seen", "seen"),
        ("<iframe src=https://v.example></iframe>a<video><p>none</p></video>b", "ab"),
    ] {
        assert_eq!(markdown(html), expected, "{html}");
    }
}

#[test]
fn what_is_broken_deep_or_endless_is_read_within_bounds() {
    assert_eq!(markdown("</b></ul></blockquote></li><b>a<i>b</b>c"), "**ab**c");
    assert_eq!(markdown("<p"), "");
    let deep = markdown(&("<blockquote><ul><li><b>".repeat(5_000) + "x"));
    assert!(deep.len() < 1_000, "{}", deep.len());
    let long = markdown(&"<p>word</p>".repeat(30_000));
    assert!(long.len() < MAX_OUTPUT_BYTES + 20 && long.ends_with('…'), "{}", long.len());
    let pre = markdown(&("<pre>".to_owned() + &"x".repeat(MAX_OUTPUT_BYTES * 2) + "</pre>"));
    assert!(pre.ends_with("\n```\n\n…"), "code has its end");
    let attributes: Vec<_> = (0..20_000).map(|n| format!("a{n:x}")).collect();
    let html = format!("<p>seen</p><p {}>unseen", attributes.join(" "));
    assert_eq!(markdown(&html), "seen", "no tag has so many attributes");
    let picture = "iVBOR/w0KGgo".repeat(3_000);
    assert_eq!(markdown(&format!("<p>a</p><img src=\"data:image/png;base64,{picture}\"><p>b</p>")), "a\n\nb");
}

#[test]
fn whatever_html_a_feed_has_it_becomes_markdown_and_text_within_their_bounds() {
    let base: Url = "https://blog.example/posts/1".parse().unwrap();
    tidings_testkit::fuzz::run("html", 1_000, |input| {
        let html = String::from_utf8_lossy(input);
        // What was begun at the bound is finished.
        assert!(markdown(&html).len() <= 2 * MAX_OUTPUT_BYTES);
        assert!(super::super::to_text(&html).len() <= 2 * MAX_OUTPUT_BYTES);
        let feed = super::super::feed_address(&html, &base);
        assert!(feed.is_none_or(|url| matches!(url.scheme(), "http" | "https")));
    });
}
