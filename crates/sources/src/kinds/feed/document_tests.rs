//! The real parser on the documents of strangers, through the guard. The first byte of an input selects the charset that
//! its answer names.

use super::*;

#[test]
fn whatever_a_feed_says_it_is_read_or_refused_within_its_bounds() {
    let at: Url = "https://blog.example/feed.xml".parse().unwrap();
    tidings_testkit::fuzz::run("feed", 600, |input| {
        let Some((choice, document)) = input.split_first() else { return };
        let charset = [None, Some("utf-16le"), Some("gbk"), Some("none")][usize::from(choice % 4)];
        if let Ok(Contents::Feed(parsed)) = read(document, charset, &at).map(|read| read.contents(&at)) {
            let kept: usize = parsed.entries.iter().map(|entry| entry.content.body.len()).sum();
            assert!(kept <= entry::MAX_ENTRIES_BYTES && parsed.entries.len() <= MAX_ENTRIES);
        }
    });
}
