//! Tests of the bounds of a feed's document.

use super::*;

fn rss(inside: &str) -> String {
    format!(
        "<rss version=\"2.0\" xmlns:media=\"http://search.yahoo.com/mrss/\" \
             xmlns:itunes=\"http://www.itunes.com/dtds/podcast-1.0.dtd\"><channel>{inside}</channel></rss>"
    )
}

fn nested(name: &str, depth: usize) -> String {
    format!("{}{}", format!("<{name}>").repeat(depth), format!("</{name}>").repeat(depth))
}

#[test]
fn elements_that_are_read_by_recursion_are_refused_when_they_are_deep() {
    for name in ["media:group", "media:content", "itunes:category"] {
        let of = |depth| check(&rss(&format!("<item>{}</item>", nested(name, depth))));
        assert_eq!(of(MAX_RECURSION), Ok(()), "{name}");
        assert_eq!(of(MAX_RECURSION + 1), Err(Excess::Depth), "{name}");
    }
    let renamed = "<rss xmlns:m='http://search.yahoo.com/mrss/'><channel><item>";
    assert_eq!(check(&format!("{renamed}{}", "<m:group>".repeat(1_000))), Err(Excess::Depth));
    let by_default = "<rss><channel><item><group xmlns='http://search.yahoo.com/mrss/'>";
    assert_eq!(check(&format!("{by_default}{}", "<group>".repeat(1_000))), Err(Excess::Depth));
}

#[test]
fn media_that_multiply_are_refused() {
    let media = |texts: usize, groups: usize| {
        let thumbnails = "<media:thumbnail url='https://x.example/t.png'/>".repeat(texts);
        let texts = "<media:text>words</media:text>".repeat(texts);
        let group = "<media:group><media:content url='https://x.example/v'/></media:group>";
        rss(&format!("<item><media:group>{thumbnails}{texts}{}</media:group></item>", group.repeat(groups)))
    };
    assert_eq!(check(&media(5, 10)), Ok(()));
    assert_eq!(check(&media(400, 400)), Err(Excess::Product));
    let spread = media(20, 20).replace("<channel>", "<channel><item/>");
    assert_eq!(check(&spread), Ok(()));
    let item = media(20, 20).split("<channel>").nth(1).unwrap().replace("</channel></rss>", "");
    assert_eq!(check(&rss(&item.repeat(100))), Err(Excess::Product), "all entries count together");
}

#[test]
fn each_number_has_its_bound() {
    let entry = |inside: &str| rss(&format!("<item>{inside}</item>"));
    for (text, expected) in [
        (entry(&"<p/>".repeat(MAX_KEPT_TOGETHER + 1)), Ok(())),
        (entry(&"<link/>".repeat(MAX_KEPT_TOGETHER + 1)), Err(Excess::Number)),
        (rss(&"<link/>".repeat(MAX_KEPT_TOGETHER + 1)), Err(Excess::Number)),
        (rss(&"<item><link/><link/></item>".repeat(MAX_ENTRIES)), Ok(())),
        (rss(&format!("<item>{}</item>", "<link/>".repeat(100)).repeat(2_000)), Err(Excess::Number)),
        (rss(&"<item/>".repeat(2 * MAX_ENTRIES + 1)), Err(Excess::Number)),
        (entry(&"<b/>".repeat(MAX_ELEMENTS)), Err(Excess::Number)),
        (entry(&nested("b", MAX_DEPTH)), Err(Excess::Depth)),
        (entry(&format!("<b {}/>", "a='1' ".repeat(MAX_ATTRIBUTES + 1))), Err(Excess::Number)),
        (entry(&format!("<b xml:base='{}'/>", "a".repeat(MAX_BASE_BYTES + 1))), Err(Excess::Number)),
        (entry(&"<b xmlns:a='u'>".repeat(MAX_NAMESPACES)), Err(Excess::Number)),
        (entry(&"<b xmlns:a='u'/>".repeat(MAX_NAMESPACES * 2)), Ok(())),
    ] {
        assert_eq!(check(&text), expected, "{}…", text.get(..200).unwrap_or(&text));
    }
}

#[test]
fn what_is_no_xml_is_left_to_the_library() {
    for text in ["", "<", "<a", "<a></b>", "</a></a>", "hello", "<!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>"] {
        assert_eq!(check(text), Ok(()), "{text}");
    }
}
