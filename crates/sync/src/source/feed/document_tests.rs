//! The real parser on documents that are bent at random, through the guard. `TIDINGS_SEED` selects others, `TIDINGS_STEPS`
//! their number.

use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

use super::*;

/// The documents that are bent: each form of feed, with each element that the guard knows.
const WHOLE: [&str; 4] = [
    r#"<?xml version="1.0" encoding="utf-8"?><rss version="2.0" xmlns:media="http://search.yahoo.com/mrss/"
            xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd" xmlns:content="http://purl.org/rss/1.0/modules/content/">
            <channel><title>T</title><link>https://a.example/</link><ttl>60</ttl><itunes:category text="a"><itunes:category
            text="b"/></itunes:category><item><guid>1</guid><author>a@b.example (A)</author><itunes:duration>1:02:03</itunes:duration>
            <pubDate>Fri, 20 Nov 2026 08:00:00 GMT</pubDate><content:encoded><![CDATA[<p>a<b>c</p>]]></content:encoded>
            <media:group><media:content url="/v"><media:rating>x</media:rating></media:content><media:text start="1:2">y</media:text>
            <media:thumbnail url="/t" time="1"/><media:group><media:content url="/w"/></media:group></media:group>
            <enclosure url="/e" length="1" type="audio/mpeg"/></item></channel></rss>"#,
    r#"<feed xmlns="http://www.w3.org/2005/Atom" xml:base="https://a.example/"><title type="html">&lt;b&gt;T</title>
            <link rel="self" href="x"/><entry xml:base="b/"><id>1</id><updated>2026-11-20T00:00:00Z</updated><author><name>A</name>
            </author><content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml"><p>a&#160;b&amp;</p></div></content>
            <category term="c" label="d"/></entry></feed>"#,
    r#"<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/"
            xmlns:dc="http://purl.org/dc/elements/1.1/"><channel><title>T</title></channel><item><title>a</title>
            <link>https://a.example/1</link><dc:creator>B</dc:creator><dc:date>2026-11-20</dc:date></item></rdf:RDF>"#,
    r#"{"version":"https://jsonfeed.org/version/1.1","title":"T","items":[{"id":"1","content_html":"<p>a</p>",
            "authors":[{"name":"A"}],"attachments":[{"url":"https://a.example/e","mime_type":"audio/mpeg"}],"tags":["x"]}]}"#,
];
/// What is put into them.
const PARTS: [&str; 16] = [
    "<media:group>",
    "<media:content url='/x'>",
    "<itunes:category text='x'>",
    "</item>",
    "<item>",
    "<![CDATA[",
    "]]>",
    "&#xD800;",
    "&lt;",
    "<!DOCTYPE a [<!ENTITY b \"c\">]>",
    "xmlns='x' ",
    "<!--",
    "\u{feff}",
    "（a@b.example）",
    "{\"a\":[",
    "999999999999999999999999",
];

#[test]
fn no_bent_document_ends_its_parser_or_grows_without_bound() {
    let seed =
        std::env::var("TIDINGS_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or_else(rand::random);
    println!("TIDINGS_SEED={seed}");
    let mut rng = StdRng::seed_from_u64(seed);
    let at: Url = "https://blog.example/feed.xml".parse().unwrap();
    let steps = std::env::var("TIDINGS_STEPS").ok().and_then(|steps| steps.parse().ok()).unwrap_or(600);
    for _ in 0..steps {
        let mut bytes = WHOLE[rng.random_range(0..WHOLE.len())].as_bytes().to_vec();
        for _ in 0..rng.random_range(1..6) {
            bend(&mut bytes, &mut rng);
        }
        let charset = [None, Some("utf-16le"), Some("gbk"), Some("none")][rng.random_range(0..4)];
        if let Ok(Contents::Feed(parsed)) = read(&bytes, charset, &at).map(|read| read.contents(&at)) {
            let kept: usize = parsed.entries.iter().map(|entry| entry.content.body.len()).sum();
            assert!(kept <= entry::MAX_ENTRIES_BYTES && parsed.entries.len() <= MAX_ENTRIES);
        }
    }
}

fn bend(bytes: &mut Vec<u8>, rng: &mut StdRng) {
    let at = rng.random_range(0..=bytes.len());
    let end = (at + rng.random_range(0..40)).min(bytes.len());
    match rng.random_range(0..5) {
        0 => drop(bytes.drain(at..end)),
        1 => {
            let part = PARTS[rng.random_range(0..PARTS.len())].repeat(rng.random_range(1..400));
            drop(bytes.splice(at..at, part.into_bytes()));
        }
        2 => {
            let repeated = bytes[at..end].repeat(rng.random_range(1..200));
            drop(bytes.splice(at..at, repeated));
        }
        3 => bytes[at..end].iter_mut().for_each(|byte| *byte = rng.random()),
        _ => bytes.truncate(at),
    }
}
