//! The feed and the icons that a page of the web names in its head.

use html5ever::tokenizer::Tag;
use url::Url;

use super::{TokenReader, attribute, read, web_address};

/// The media types of feeds.
const FEED_TYPES: [&str; 5] = [
    "application/rss+xml",
    "application/atom+xml",
    "application/feed+json",
    "application/rdf+xml",
    "text/xml",
];
/// The most links that are looked at.
const MAX_LINKS: usize = 50;

/// The address of the first feed that a page links to as another form of itself; one of comments only if there is no
/// other.
pub(crate) fn feed_address(html: &str, page: &Url) -> Option<Url> {
    let head = read(html, Head::default());
    let (base, links) = (head.base(page), head.links);
    let is_of_comments = |link: &&FeedLink| {
        let said = format!("{} {}", link.title, link.href).to_lowercase();
        said.contains("comment")
    };
    let first = links.iter().find(|link| !is_of_comments(link)).or_else(|| links.first())?;
    web_address(&first.href, Some(&base))
}

/// The addresses of the icons that a page names, those for every use first. Drawings (SVG) are left out.
///
/// ```
/// let html = r#"<link rel="icon" href="/i.svg" type="image/svg+xml"><link rel="icon" href="i.png">"#;
/// let icons = tidings_sources::page_icons(html, &"https://blog.example/a/".parse()?);
/// assert_eq!(icons, ["https://blog.example/a/i.png".parse()?]);
/// # Ok::<_, url::ParseError>(())
/// ```
pub fn page_icons(html: &str, page: &Url) -> Vec<Url> {
    let head = read(html, Head::default());
    let base = head.base(page);
    let mut icons = head.icons;
    icons.sort_by_key(|icon| icon.is_for_touch);
    let mut addresses: Vec<Url> =
        icons.iter().filter_map(|icon| web_address(&icon.href, Some(&base))).collect();
    addresses.retain(|url| !url.path().to_ascii_lowercase().ends_with(".svg"));
    addresses.dedup();
    addresses
}

/// An icon that a page names.
struct Icon {
    href: String,
    /// Whether it is a large one, for a telephone.
    is_for_touch: bool,
}

/// A link to a feed.
struct FeedLink {
    href: String,
    title: String,
}

/// Collects the links to feeds and icons.
#[derive(Default)]
struct Head {
    base: Option<String>,
    links: Vec<FeedLink>,
    icons: Vec<Icon>,
}

impl Head {
    /// The address that links are relative to.
    fn base(&self, page: &Url) -> Url {
        let named = self.base.as_deref().and_then(|base| web_address(base, Some(page)));
        named.unwrap_or_else(|| page.clone())
    }
}

impl TokenReader for Head {
    fn text(&mut self, _text: &str) {}

    fn start(&mut self, tag: &Tag) {
        match &*tag.name {
            "base" if self.base.is_none() => self.base = attribute(tag, "href").map(str::to_owned),
            "link" if self.links.len() + self.icons.len() < MAX_LINKS => {
                self.links.extend(feed_link(tag));
                self.icons.extend(icon_link(tag));
            }
            _ => {}
        }
    }

    fn end(&mut self, _name: &str) {}
}

fn feed_link(tag: &Tag) -> Option<FeedLink> {
    let rel = attribute(tag, "rel")?;
    let media = attribute(tag, "type")?.split(';').next().unwrap_or_default().trim();
    let is_feed = rel.split_ascii_whitespace().any(|word| word.eq_ignore_ascii_case("alternate"))
        && FEED_TYPES.iter().any(|known| known.eq_ignore_ascii_case(media));
    let href = attribute(tag, "href").filter(|href| is_feed && !href.trim().is_empty())?;
    Some(FeedLink { href: href.to_owned(), title: attribute(tag, "title").unwrap_or_default().to_owned() })
}

fn icon_link(tag: &Tag) -> Option<Icon> {
    let rel = attribute(tag, "rel")?;
    let is = |name: &str| rel.split_ascii_whitespace().any(|word| word.eq_ignore_ascii_case(name));
    let is_for_touch = is("apple-touch-icon") || is("apple-touch-icon-precomposed");
    let is_drawing = attribute(tag, "type").is_some_and(|media| media.to_ascii_lowercase().contains("svg"));
    let is_icon = (is("icon") || is_for_touch) && !is_drawing;
    let href = attribute(tag, "href").filter(|href| is_icon && !href.trim().is_empty())?;
    Some(Icon { href: href.to_owned(), is_for_touch })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(html: &str) -> Option<String> {
        let page: Url = "https://blog.example/posts/1".parse().unwrap();
        feed_address(html, &page).map(Url::into)
    }

    #[test]
    fn a_page_names_its_icons_and_drawings_are_left_out() {
        let page: Url = "https://blog.example/posts/".parse().unwrap();
        let found = |html: &str| page_icons(html, &page).into_iter().map(String::from).collect::<Vec<_>>();
        let html = r#"<head><link rel="apple-touch-icon" sizes="180x180" href="/touch.png">
            <link rel="shortcut icon" href="favicon.ico"><link rel="ICON" type="image/png" href="//cdn.example/i.png">
            <link rel="icon" type="image/svg+xml" href="/i"><link rel="icon" href="/j.SVG?v=1">
            <link rel="mask-icon" href="/mask.png"><link rel="icon" href="data:image/png;base64,AAAA">"#;
        let expected = [
            "https://blog.example/posts/favicon.ico",
            "https://cdn.example/i.png",
            "https://blog.example/touch.png",
        ];
        assert_eq!(found(html), expected);
        assert_eq!(found(r#"<base href="/x/"><link rel=icon href=i.png>"#), ["https://blog.example/x/i.png"]);
        assert!(found("<body><p>Sign in</p>").is_empty());
        let many = "<link rel=icon href=/i.png>".repeat(10_000);
        assert!(page_icons(&many, &page).len() <= MAX_LINKS);
    }

    #[test]
    fn a_page_names_its_feed_in_its_head() {
        let link = r#"<!doctype html><html><head><title>Blog</title>
            <link rel="stylesheet" href="/a.css">
            <link rel="alternate" type="application/rss+xml" title="Blog » Comments Feed" href="/comments/feed/">
            <LINK REL="Alternate" TYPE="application/atom+xml; charset=utf-8" HREF="../atom.xml"></head>"#;
        assert_eq!(found(link).as_deref(), Some("https://blog.example/atom.xml"), "not the one of comments");
        let based = r#"<base href="https://cdn.example/x/"><link rel=alternate type=application/feed+json href=f.json>"#;
        assert_eq!(found(based).as_deref(), Some("https://cdn.example/x/f.json"));
        for none in [
            "",
            "<html><body>Please sign in to the network</body></html>",
            r#"<link rel="alternate" hreflang="de" href="/de/">"#,
            r#"<link rel="alternate" type="application/rss+xml" href="javascript:alert(1)">"#,
            r#"<script>'<link rel="alternate" type="application/rss+xml" href="/a">'</script>"#,
        ] {
            assert_eq!(found(none), None, "{none}");
        }
    }
}
