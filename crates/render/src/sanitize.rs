//! The HTML elements and attributes that reach the page; all others are removed.

use std::sync::LazyLock;

use ammonia::Builder;
use tidings_model::text;

static SANITIZER: LazyLock<Builder<'static>> = LazyLock::new(|| {
    let mut sanitizer = Builder::default();
    sanitizer
        .tags(
            [
                "a",
                "blockquote",
                "br",
                "code",
                "del",
                "em",
                "h1",
                "h2",
                "h3",
                "h4",
                "h5",
                "h6",
                "hr",
                "li",
                "ol",
                "p",
                "pre",
                "span",
                "strong",
                "table",
                "tbody",
                "td",
                "th",
                "thead",
                "tr",
                "ul",
            ]
            .into(),
        )
        .generic_attributes(std::collections::HashSet::new())
        .url_schemes(["http", "https", "mailto", "tidings"].into())
        .url_relative(ammonia::UrlRelative::Deny)
        .link_rel(Some("noopener noreferrer"))
        .add_tag_attributes("a", ["data-address", "data-host"])
        .add_tag_attributes("span", ["data-image", "data-host", "data-task"])
        .add_tag_attributes("code", ["data-language"]);
    sanitizer
});

/// Removes from HTML what is not in the list of elements and attributes, and what turns text around.
pub(crate) fn sanitize(html: &str) -> String {
    SANITIZER.clean(&text::block(html)).to_string()
}
