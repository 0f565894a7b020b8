//! Tests of publishers' icons: fetched on request or for a whole source, kept, and shown as pictures alone.

use std::sync::atomic::{AtomicI64, Ordering};

use serde_json::json;
use tidings_ipc::Preview;
use tidings_replica::NewSource;
use tidings_sync::PullReason;
use tidings_testkit::ico::{bitmap, file};
use tidings_testkit::scripted::response;
use tidings_testkit::services::{Feed, ScriptedService as _};

use super::harness::{TestApp, notification, open};
use super::http_server::answering;
use super::inbox;
use crate::Error;

/// A PNG of one pixel, as far as its header.
const PICTURE: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\0\0\0\0";

/// Pulls an item that names an icon at an address, and asks for it.
async fn icon(test: &TestApp, source: i64, address: &str, fetch: bool) -> Result<Preview, Error> {
    static PULLED: AtomicI64 = AtomicI64::new(1);
    let nth = PULLED.fetch_add(1, Ordering::Relaxed);
    let item = notification(&test.clock, nth, &json!({"thread": "topic:nas", "icon": address}));
    test.pulled(source, PullReason::Backlog, vec![item]).await;
    test.app.icons.icon(source, address.to_owned(), fetch).await
}

#[tokio::test]
async fn an_icon_is_fetched_when_it_is_asked_for_and_then_kept() {
    let test = open();
    let own = test.source("");
    let (url, requests) = answering(response("200 OK", "", PICTURE)).await;
    assert_eq!(icon(&test, own, &url, false).await.unwrap(), Preview::None, "nobody asked");
    assert!(requests.lock().unwrap().is_empty());
    let Preview::Image { src, .. } = icon(&test, own, &url, true).await.unwrap() else { panic!("a picture") };
    assert!(src.starts_with("data:image/png;base64,iVBOR"), "{src}");
    let kept = icon(&test, own, &url, false).await.unwrap();
    assert!(matches!(kept, Preview::Image { .. }), "it is shown from then on");
    assert_eq!(requests.lock().unwrap().len(), 1);
    assert!(!requests.lock().unwrap()[0].contains("authorization"), "no token goes along");
}

#[tokio::test]
async fn the_icons_of_a_source_are_fetched_once_it_is_set_so() {
    let test = open();
    let own = test.source("");
    let (url, requests) = answering(response("200 OK", "", PICTURE)).await;
    test.app.icons.set_source_icons(own, true).await.unwrap();
    assert!(test.app.page.bootstrap().await.unwrap().places.sources[0].show_icons);
    assert!(matches!(icon(&test, own, &url, false).await.unwrap(), Preview::Image { .. }));
    test.clock.advance(8 * 24 * 3_600);
    icon(&test, own, &url, false).await.unwrap();
    assert_eq!(requests.lock().unwrap().len(), 2, "after a week it is looked at again");
    test.app.icons.set_source_icons(own, false).await.unwrap();
    let (other, requests) = answering(response("200 OK", "", PICTURE)).await;
    assert_eq!(icon(&test, own, &other, false).await.unwrap(), Preview::None);
    assert!(requests.lock().unwrap().is_empty());
}

#[tokio::test]
async fn what_is_no_picture_is_no_icon_and_is_not_asked_for_again_at_once() {
    let test = open();
    let own = test.source("");
    test.app.icons.set_source_icons(own, true).await.unwrap();
    let vast = [&PICTURE[..16], &[0xff; 8], &PICTURE[24..]].concat();
    for (nth, body) in [b"<svg onload=alert(1)>".to_vec(), vast].into_iter().enumerate() {
        let (url, requests) = answering(response("200 OK", "content-type: image/png\r\n", &body)).await;
        for _ in 0..3 {
            assert_eq!(icon(&test, own, &url, false).await.unwrap(), Preview::None, "{nth}");
        }
        assert_eq!(requests.lock().unwrap().len(), 1, "{nth}");
        let asked = icon(&test, own, &url, true).await;
        let Err(Error::Localized { text, .. }) = asked else { panic!("{asked:?}") };
        assert!(text.contains("no image"), "{text}");
    }
    let Err(Error::Link) = icon(&test, own, "file:///etc/passwd", true).await else {
        panic!("no web address")
    };
}

/// The paths that were asked for.
fn paths(site: &Feed) -> Vec<String> {
    site.requests().iter().filter_map(|request| request.split(' ').nth(1).map(str::to_owned)).collect()
}

fn feed(test: &TestApp, site: &Feed) -> i64 {
    let (name, protocol) = (site.at(""), "feed".to_owned());
    let source = NewSource { name, protocol, url: site.at("/blog/feed.xml"), user: None, own: false };
    test.app.context.replica.add_source(source).unwrap()
}

#[tokio::test]
async fn the_icon_of_a_feed_is_the_one_that_its_site_names_else_the_usual_one() {
    let (test, site) = (open(), Feed::start().await);
    let source = feed(&test, &site);
    test.app.icons.set_source_icons(source, true).await.unwrap();
    let page = "<html><head><link rel=icon href=gone.png><link rel=icon href=/good.png></head></html>";
    site.put("/blog/", "content-type: text/html\r\n", page);
    site.put("/good.png", "", PICTURE);
    let address = site.at("/blog/favicon.ico");
    let Preview::Image { src, .. } = icon(&test, source, &address, false).await.unwrap() else {
        panic!("a picture")
    };
    assert!(src.starts_with("data:image/png;"), "{src}");
    assert_eq!(paths(&site), ["/blog/", "/blog/gone.png", "/good.png"]);
    icon(&test, source, &address, false).await.unwrap();
    assert_eq!(site.requests().len(), 3, "once");

    // A site without a page, and with the old format at the root of its host.
    let site = Feed::start().await;
    let source = feed(&test, &site);
    site.put("/favicon.ico", "", file(&[(16, &bitmap(16)), (32, &bitmap(32))]));
    let address = site.at("/blog/favicon.ico");
    let Preview::Image { src, .. } = icon(&test, source, &address, true).await.unwrap() else {
        panic!("a picture")
    };
    assert!(src.starts_with("data:image/x-icon;"), "{src}");
    assert_eq!(paths(&site), ["/blog/", "/blog/favicon.ico", "/favicon.ico"]);
    site.remove("/favicon.ico");
    let none = icon(&test, source, &site.at("/other/favicon.ico"), true).await;
    assert!(none.is_err(), "{none:?}");
}

#[tokio::test]
async fn a_row_names_its_publisher_s_icon_and_shows_its_emoji() {
    let test = open().running();
    let own = test.source("");
    test.with_page().await;
    let more = json!({"thread": "topic:nas", "target": {"type": "topic", "id": "nas"}, "title": "Disk full",
        "tags": ["warning", "raid"], "icon": "https://img.example.org/nas.png"});
    test.pulled(own, PullReason::Live, vec![notification(&test.clock, 1, &more)]).await;
    let row = test.app.reading.threads(inbox()).await.unwrap().rows.remove(0);
    assert_eq!(row.icon.as_deref(), Some("https://img.example.org/nas.png"));
    assert_eq!(row.what[0].text, "⚠️ Disk full");
    let view = test.app.reading.thread(row.id, None).await.unwrap();
    let item = &view.items[0];
    assert_eq!((item.emoji.as_str(), item.tags.as_slice()), ("⚠️", &["raid".to_owned()][..]));
    assert_eq!(item.icon, row.icon);
}

#[tokio::test]
async fn of_ten_thousand_tags_a_hundred_are_in_the_row_and_in_the_pane_which_counts_the_others() {
    let test = open().running();
    let own = test.source("");
    test.with_page().await;
    let tags: Vec<String> =
        (0..10_000).map(|n| if n % 2 == 0 { "tada".to_owned() } else { format!("t{n}") }).collect();
    let more = json!({"thread": "topic:nas", "target": {"type": "topic", "id": "nas"}, "title": "Disk full", "tags": tags});
    test.pulled(own, PullReason::Live, vec![notification(&test.clock, 1, &more)]).await;
    let row = test.app.reading.threads(inbox()).await.unwrap().rows.remove(0);
    let stored = test.app.context.replica.threads_by_id(&[row.id]).unwrap().remove(0);
    assert_eq!(stored.preview.tags.len(), 100);
    assert_eq!(row.what[0].text, format!("{} Disk full", "🎉".repeat(50)));
    let view = test.app.reading.thread(row.id, None).await.unwrap();
    let item = &view.items[0];
    assert_eq!((item.tags.len(), item.emoji.as_str()), (50, "🎉".repeat(50).as_str()));
    assert_eq!(item.more_tags, Some(9_900));
    assert_eq!(serde_json::to_value(item).unwrap()["more_tags"], 9_900);
}
