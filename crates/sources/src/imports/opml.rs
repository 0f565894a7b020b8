//! OPML, in which programs exchange lists of feeds.

use std::collections::HashSet;

use quick_xml::Reader;
use quick_xml::encoding::DecodingReader;
use quick_xml::escape::{escape, unescape};
use quick_xml::events::{BytesStart, Event};

use super::{Imported, ImportedSource};

/// The feeds of a list, whatever folders they are in; `None` if the file is no OPML.
pub(super) fn read(file: &[u8]) -> Option<Imported> {
    let mut reader = Reader::from_reader(DecodingReader::new(file));
    // Some programs write names with a space in their end tags, or forget those of outlines.
    reader.config_mut().trim_markup_names_in_closing_tags = true;
    reader.config_mut().check_end_names = false;
    let (mut buffer, mut imported, mut is_opml) = (Vec::new(), Imported::default(), false);
    let mut known = HashSet::new();
    loop {
        buffer.clear();
        match reader.read_event_into(&mut buffer).ok()? {
            Event::Decl(declaration) => {
                if let Some(encoding) = declaration.encoder() {
                    reader.get_mut().set_encoding(encoding);
                }
            }
            Event::Start(tag) | Event::Empty(tag) => match tag.name().as_ref() {
                "opml" => is_opml = true,
                "outline" if is_opml => match feed(&tag) {
                    Outline::Feed(feed) if known.insert(feed.url.clone()) => imported.add(feed),
                    Outline::Unusable(name) => imported.leave_out(&name),
                    Outline::Feed(_) | Outline::Folder => {}
                },
                _ if is_opml => {}
                // The root is another one.
                _ => return None,
            },
            Event::Eof => return is_opml.then_some(imported),
            _ => {}
        }
    }
}

/// What an outline is.
enum Outline {
    Feed(ImportedSource),
    /// A folder, or a note.
    Folder,
    /// The name of a feed that another program makes itself: a file, the output of a command, or a search.
    Unusable(String),
}

fn feed(tag: &BytesStart<'_>) -> Outline {
    let value = |name: &str| {
        // Attributes are compared with those before them otherwise.
        let found = tag
            .attributes()
            .with_checks(false)
            .flatten()
            .find(|attribute| attribute.key.as_ref().eq_ignore_ascii_case(name))?;
        let value =
            unescape(&found.value).map_or_else(|_| found.value.to_string(), |value| value.to_string());
        Some(value.split_whitespace().collect::<Vec<_>>().join(" ")).filter(|value| !value.is_empty())
    };
    let Some(url) = value("xmlUrl") else { return Outline::Folder };
    let name = value("title").or_else(|| value("text"));
    // Feeds keep the slash at the end of their address, and no `feed:` before it.
    let url = match url.strip_prefix("feed:") {
        Some(rest) if rest.starts_with("//") => format!("https:{rest}"),
        Some(rest) => rest.to_owned(),
        None => url,
    };
    match super::web_address(&url) {
        Some(url) => {
            let name = name.unwrap_or_else(|| url.host_str().unwrap_or_default().to_owned());
            Outline::Feed(ImportedSource { protocol: "feed", name, url: url.into(), token: None })
        }
        // The address may hold a password.
        None => {
            Outline::Unusable(name.unwrap_or_else(|| url.split(':').next().unwrap_or_default().to_owned()))
        }
    }
}

/// A list of feeds, each a name and an address, as OPML 2.0.
///
/// ```
/// use tidings_sources::imports::{self, opml};
///
/// let list = opml::write("Feeds", [("Blog & more", "https://blog.example/feed?a=1&b=2")]);
/// let back = imports::parse(list.as_bytes())?;
/// let feed = &back.sources[0];
/// assert_eq!((feed.name.as_str(), feed.url.as_str()), ("Blog & more", "https://blog.example/feed?a=1&b=2"));
/// # Ok::<_, imports::ImportError>(())
/// ```
pub fn write<'a>(title: &str, feeds: impl IntoIterator<Item = (&'a str, &'a str)>) -> String {
    let mut out =
        String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<opml version=\"2.0\">\n  <head>\n");
    out.extend(["    <title>", &text(title), "</title>\n  </head>\n  <body>\n"]);
    for (name, url) in feeds {
        let (name, url) = (text(name), text(url));
        out.extend([
            "    <outline type=\"rss\" text=\"",
            &name,
            "\" title=\"",
            &name,
            "\" xmlUrl=\"",
            &url,
            "\"/>\n",
        ]);
    }
    out.push_str("  </body>\n</opml>\n");
    out
}

/// A text for an attribute or an element. XML has no control characters.
fn text(text: &str) -> String {
    let text: String = text.chars().filter(|c| !c.is_control()).collect();
    escape(text.as_str()).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::imports::{self, MAX_IMPORTED};

    fn urls(file: &str) -> Vec<(String, String)> {
        let feeds = imports::parse(file.as_bytes()).unwrap().sources;
        assert!(feeds.iter().all(|feed| feed.protocol == "feed" && feed.token.is_none()));
        feeds.into_iter().map(|feed| (feed.name, feed.url)).collect()
    }

    #[test]
    fn feeds_are_found_in_folders_of_folders_each_once() {
        // As Feedly and FreshRSS write it: folders, attributes in any order, addresses of sites, escapes.
        let file = r#"<?xml version="1.0" encoding="utf-8"?>
            <opml version="1.0">
              <head><title>Alice's subscriptions in feedly Cloud</title></head>
              <body>
                <outline text="Tech" title="Tech">
                  <outline type="rss" text="Rust Blog" title="Rust &amp; more" xmlUrl="https://blog.rust-lang.org/feed.xml"
                           htmlUrl="https://blog.rust-lang.org/"/>
                  <outline text="Deep"><outline text="" xmlUrl="http://a.example/?feed=rss2&amp;x=1" type="rss"></outline></outline>
                </outline>
                <outline type="rss" xmlurl='feed://b.example/atom.xml' text='B'/>
                <outline type="rss" text="again" xmlUrl="https://blog.rust-lang.org/feed.xml"/>
                <outline type="rss" text="local" xmlUrl="file:///etc/passwd"/>
              </body>
            </opml>"#;
        let expected = [
            ("Rust & more", "https://blog.rust-lang.org/feed.xml"),
            ("a.example", "http://a.example/?feed=rss2&x=1"),
            ("B", "https://b.example/atom.xml"),
        ];
        assert_eq!(urls(file), expected.map(|(name, url)| (name.to_owned(), url.to_owned())));
    }

    #[test]
    fn what_a_reader_makes_itself_is_left_out_and_told() {
        // As newsboat writes it, which has feeds of commands and of searches; Miniflux begins with a mark of its encoding.
        let file = "\u{feff}\n<?xml version=\"1.0\"?>\n<opml version=\"1.0\"><head><title>newsboat - Exported Feeds</title></head>
            <body><outline type=\"rss\" xmlUrl=\"https://me:pw@a.example/atom\" htmlUrl=\"\" title=\"A\"/>
            <outline type=\"rss\" xmlUrl=\"exec:~/bin/news.py\" htmlUrl=\"\" title=\"My script\" />
            <outline type=\"rss\" xmlUrl=\"query:Unread:unread = &quot;yes&quot;\" />
            <outline type=\"rss\" xmlUrl=\"feed:https://b.example/f/\" text=\"Podcast: Ausgabe &#252;ber\"/></body></opml>";
        let found = imports::parse(file.as_bytes()).unwrap();
        let feeds: Vec<_> =
            found.sources.iter().map(|feed| (feed.name.as_str(), feed.url.as_str())).collect();
        assert_eq!(
            feeds,
            [("A", "https://a.example/atom"), ("Podcast: Ausgabe über", "https://b.example/f/")]
        );
        assert_eq!(
            (found.left_out, found.left_out_count),
            (vec!["My script".to_owned(), "query".to_owned()], 2)
        );
    }

    #[test]
    fn a_list_that_was_written_is_read_as_it_was() {
        let feeds = [("\"Q\" <&> 'x'\u{1}", "https://x.example/feed/?a=1&b=%20"), ("", "https://y.example/")];
        let list = write("Feeds <mine>", feeds);
        let expected =
            [("\"Q\" <&> 'x'", "https://x.example/feed/?a=1&b=%20"), ("y.example", "https://y.example/")];
        assert_eq!(urls(&list), expected.map(|(name, url)| (name.to_owned(), url.to_owned())));
        assert_eq!(urls(&write("none", [])), []);
    }

    #[test]
    fn a_damaged_or_endless_list_is_refused_or_cut() {
        assert!(imports::parse(b"<opml><body><outline xmlUrl='https://a.example").is_err());
        let outlines = (0..MAX_IMPORTED + 500).map(|n| format!("<outline xmlUrl='https://a.example/{n}'>"));
        let endless = outlines.fold("<opml><body>".to_owned(), |all, outline| all + &outline);
        assert_eq!(
            imports::parse(endless.as_bytes()).map(|found| (
                found.sources.len(),
                found.left_out.len(),
                found.left_out_count
            )),
            Ok((MAX_IMPORTED, 100, 500)),
            "what is too much is told, too"
        );
    }
}
