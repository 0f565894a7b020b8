//! Stories of feeds: what their entries become, and how little is asked for them.

use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Duration;

use tidings_model::{Clock, Format, Kind, MsgId, Stamp};
use tidings_net::Error as NetError;
use tidings_replica::{Mark, Source};
use tidings_sources::probe::{self, Probed};
use tidings_sources::{Since, protocol};
use tidings_sync::Error;
use tidings_testkit::services::{Fault, Feed, ScriptedService};

use crate::support::ServiceInbox;

const RSS: &str = "content-type: application/rss+xml\r\n";
const HTML: &str = "content-type: text/html; charset=utf-8\r\n";

/// A server with one document, and an inbox that pulls it.
async fn of(path: &str, headers: &str, body: impl AsRef<[u8]>) -> (Feed, ServiceInbox) {
    let server = Feed::start().await;
    server.put(path, headers, body);
    let inbox = ServiceInbox::of("feed", &server.at(path), "");
    (server, inbox)
}

fn rss(items: &str) -> String {
    format!("<rss version=\"2.0\"><channel><title>Blog</title>{items}</channel></rss>")
}

fn stamp(text: &str) -> Stamp {
    text.parse().unwrap()
}

#[tokio::test]
async fn an_entry_of_a_podcast_has_its_text_its_page_and_its_sound() {
    let rss = r#"<?xml version="1.0" encoding="UTF-8"?>
        <rss version="2.0" xmlns:content="http://purl.org/rss/1.0/modules/content/" xmlns:dc="http://purl.org/dc/elements/1.1/"
             xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd">
        <channel><title>Rust &amp;amp; friends</title><link>https://cast.example/show/</link><ttl>120</ttl>
        <item><title>Episode&#160;7: &lt;i&gt;Traits&lt;/i&gt;</title><guid isPermaLink="false">a very long id, which is no word at all, and so it is hashed: 7</guid>
          <link>/show/7</link><pubDate>Fri, 20 Nov 2026 08:00:00 +0200</pubDate><dc:creator>Ana</dc:creator>
          <category>Code</category><category>Audio</category><itunes:duration>99999999999999999999999</itunes:duration>
          <description>Short.</description>
          <content:encoded><![CDATA[<p>We talk about <a href="notes.html">notes</a>.</p><script>alert(1)</script>]]></content:encoded>
          <enclosure url="https://cdn.example/7%20traits.mp3" length="1234" type="audio/mpeg"/></item></channel></rss>"#;
    let (server, inbox) = of("/cast.xml", RSS, rss).await;
    assert_eq!(inbox.pull().await.unwrap().arrived, 1);
    let item = inbox.item();
    assert_eq!((item.kind, item.action.as_deref()), (Kind::Reminder, Some("publish")));
    assert_eq!(item.actor.name, "Rust & friends");
    assert_eq!(item.created_at, stamp("2026-11-20T06:00:00Z"));
    assert!(item.msgid.as_str().len() <= 64);
    let target = item.target.unwrap();
    assert_eq!((target.kind.as_str(), target.title.as_deref()), ("entry", Some("Episode 7: Traits")));
    let content = item.content;
    assert_eq!(content.url.as_deref(), Some(server.at("/show/7").as_str()));
    assert_eq!(content.body, format!("We talk about [notes]({}).", server.at("/show/notes.html")));
    assert_eq!(content.format, Format::Markdown);
    assert_eq!(content.icon.as_deref(), Some("https://cast.example/show/favicon.ico"));
    let file = content.attachment.unwrap();
    assert_eq!(
        (file.name.as_str(), file.media.as_deref(), file.size),
        ("7 traits.mp3", Some("audio/mpeg"), Some(1234))
    );
    assert_eq!(content.data["categories"], serde_json::json!(["Code", "Audio"]));
}

#[tokio::test]
async fn atom_and_json_feed_are_read_like_rss() {
    let atom = r#"<?xml version="1.0" encoding="utf-8"?>
        <feed xmlns="http://www.w3.org/2005/Atom" xml:base="https://atom.example/">
          <title type="text">Atom</title><icon>/icon.png</icon><updated>2026-11-01T00:00:00Z</updated><id>urn:feed</id>
          <entry><id>urn:uuid:1</id><title type="html">A &amp;lt; B</title><updated>2026-11-02T10:00:00Z</updated>
            <link rel="alternate" href="posts/1"/><link rel="enclosure" href="files/a.pdf" type="application/pdf" length="0"/>
            <author><name>Bo</name></author>
            <content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml"><h2>Hi</h2><p>there</p></div></content></entry>
          <entry><id>urn:uuid:2</id><title></title><updated>2026-11-01T10:00:00Z</updated>
            <content type="html">&lt;p&gt;No title &lt;a href="https://x.example"&gt;here&lt;/a&gt;&lt;/p&gt;</content></entry></feed>"#;
    let (_server, inbox) = of("/atom", "content-type: application/atom+xml\r\n", atom).await;
    inbox.pull().await.unwrap();
    let [first, second] = inbox.items().try_into().unwrap();
    assert_eq!((first.msgid.as_str(), first.content.title.as_str()), ("urn:uuid:1", "A < B"));
    assert_eq!(first.content.body, "## Hi\n\nthere");
    assert_eq!(first.content.url.as_deref(), Some("https://atom.example/posts/1"));
    assert_eq!(first.content.icon.as_deref(), Some("https://atom.example/icon.png"));
    assert_eq!(first.content.data["author"], "Bo");
    let file = first.content.attachment.unwrap();
    assert_eq!((file.url.as_str(), file.size), ("https://atom.example/files/a.pdf", None));
    assert_eq!(second.target.unwrap().title.as_deref(), Some("No title here"));

    let json = r#"{"version":"https://jsonfeed.org/version/1.1","title":"Json","home_page_url":"https://json.example/",
        "favicon":"https://json.example/f.png","items":[
        {"id":"2","url":"https://json.example/2","title":"Two","content_text":"Plain <b>\n& simple","date_published":"2026-11-03T00:00:00Z",
         "authors":[{"name":"Cy"}],"attachments":[{"url":"https://json.example/2.mp4","mime_type":"video/mp4","size_in_bytes":9}]}]}"#;
    let (_server, inbox) = of("/feed.json", "content-type: application/feed+json\r\n", json).await;
    inbox.pull().await.unwrap();
    let item = inbox.item();
    assert_eq!((item.content.body.as_str(), item.content.format), ("Plain <b>\n& simple", Format::Plain));
    assert_eq!(item.content.url.as_deref(), Some("https://json.example/2"));
    assert_eq!(item.content.attachment.unwrap().size, Some(9));
}

#[tokio::test]
async fn a_feed_in_another_encoding_reads_as_it_was_written() {
    let mut gbk = b"<?xml version=\"1.0\" encoding=\"GB2312\"?>".to_vec();
    // The title in GBK.
    let title = [0xb1, 0xea, 0xcc, 0xe2];
    gbk.extend(rss("<item><guid>1</guid><title>@</title></item>").bytes().flat_map(|byte| match byte {
        b'@' => title.to_vec(),
        byte => vec![byte],
    }));
    let (_server, inbox) = of("/gbk", RSS, gbk).await;
    inbox.pull().await.unwrap();
    assert_eq!(inbox.item().content.title, "标题");
}

#[tokio::test]
async fn a_correction_is_no_news_and_what_left_the_feed_stays() {
    let entry = |text: &str| format!("<item><guid>1</guid><title>{text}</title></item>");
    let (server, inbox) = of("/f", RSS, rss(&entry("Typo"))).await;
    inbox.pull().await.unwrap();
    let before = inbox.item();
    inbox.mark(&before.msgid, Mark::Read);
    inbox.clock.advance(3_600);
    server.put("/f", RSS, rss(&entry("Corrected")));
    assert_eq!(inbox.pull().await.unwrap().arrived, 0);
    let after = inbox.item();
    assert_eq!((after.content.title.as_str(), after.version), ("Corrected", before.version + 1));
    assert_eq!(after.created_at, before.created_at);
    assert!(after.read_at.is_some(), "it stays read");
    server.put("/f", RSS, rss("<item><guid>2</guid><title>Other</title></item>"));
    inbox.pull().await.unwrap();
    assert_eq!(inbox.items().len(), 2);
}

#[tokio::test]
async fn entries_without_a_date_are_in_the_feeds_order_and_never_come_back() {
    let entry = |id: &&str| format!("<item><guid>{id}</guid></item>");
    let entries = |ids: &[&str]| rss(&ids.iter().map(entry).collect::<Vec<_>>().concat());
    let (server, inbox) = of("/f", RSS, entries(&["c", "b", "a"])).await;
    inbox.pull().await.unwrap();
    let ids =
        |inbox: &ServiceInbox| inbox.items().iter().map(|item| item.msgid.to_string()).collect::<String>();
    assert_eq!(ids(&inbox), "cba");
    inbox.mark(&MsgId::from("b"), Mark::Delete);
    inbox.clock.advance(86_400);
    server.put("/f", RSS, entries(&["e", "d", "c", "b", "a"]));
    inbox.pull().await.unwrap();
    assert_eq!(ids(&inbox), "edca");
}

#[tokio::test]
async fn an_unchanged_feed_costs_a_request_without_a_body_and_is_asked_when_it_says() {
    let headers = format!("{RSS}etag: \"v1\"\r\ncache-control: max-age=7200\r\n");
    let (server, inbox) = of("/f?format=rss", &headers, rss("<item><guid>1</guid></item>")).await;
    let first = inbox.client().page(Since::default(), 100).await.unwrap();
    assert_eq!(first.poll_after, Some(Duration::from_secs(7_200)));
    inbox.pull().await.unwrap();
    let before = server.requests().len();
    assert_eq!(inbox.pull().await.unwrap().fetched, 0);
    let [request] = server.requests().split_off(before).try_into().unwrap();
    assert!(
        request.starts_with("GET /f?format=rss ") && request.contains("if-none-match: \"v1\""),
        "{request}"
    );
    let since = Since { cursor: inbox.replica.source(inbox.source).unwrap().cursor, epoch: None };
    let unchanged = inbox.client().page(since, 100).await.unwrap();
    assert_eq!(unchanged.poll_after, Some(Duration::from_secs(7_200)), "what it said last time holds");
}

#[tokio::test]
async fn a_new_feed_is_asked_once_for_its_title_and_its_entries() {
    let (server, inbox) = of("/f", RSS, rss("<item><guid>1</guid></item>")).await;
    let client = inbox.client();
    assert_eq!(client.server_info().await.unwrap().name.as_deref(), Some("Blog"));
    let page = client.page(Since::default(), 100).await.unwrap();
    assert_eq!((page.page.service_items.len(), server.requests().len()), (1, 1));
    inbox.pull().await.unwrap();
    let before = server.requests().len();
    assert_eq!(inbox.client().server_info().await.unwrap().name.as_deref(), Some("Blog"));
    assert_eq!(server.requests().len(), before, "the title is known from the last pull");
}

#[tokio::test]
async fn a_page_leads_to_its_feed_which_is_then_asked_directly() {
    let head =
        |feed: &str| format!("<!doctype html><link rel=alternate type='application/rss+xml' href='{feed}'>");
    let (server, inbox) = of("/blog/", HTML, head("rss.xml")).await;
    server.put("/blog/rss.xml", RSS, rss("<item><guid>1</guid></item>"));
    assert_eq!(inbox.client().server_info().await.unwrap().name.as_deref(), Some("Blog"));
    inbox.pull().await.unwrap();
    let before = server.requests().len();
    inbox.pull().await.unwrap();
    let [request] = server.requests().split_off(before).try_into().unwrap();
    assert!(request.starts_with("GET /blog/rss.xml "), "{request}");
    // The feed moves, and the page names it.
    server.remove("/blog/rss.xml");
    server.put("/blog/", HTML, head("/new.xml"));
    server.put("/new.xml", RSS, rss("<item><guid>1</guid></item><item><guid>2</guid></item>"));
    assert_eq!(inbox.pull().await.unwrap().arrived, 1);
    // An earlier feed is none if a network puts a page in its place, whatever feed the page names.
    let inbox = ServiceInbox::of("feed", &server.at("/new.xml"), "");
    inbox.pull().await.unwrap();
    server.put("/new.xml", HTML, head("/evil.xml"));
    server.put("/evil.xml", RSS, rss("<item><guid>3</guid></item>"));
    assert!(matches!(inbox.pull().await, Err(Error::Net(NetError::Malformed))));
    assert_eq!(inbox.items().len(), 2);
    // A page that names a page, or itself, is no feed.
    server.put("/loop", HTML, head("/loop"));
    server.put("/other", HTML, head("/loop"));
    for path in ["/loop", "/other", "/nothing"] {
        let inbox = ServiceInbox::of("feed", &server.at(path), "");
        let before = server.requests().len();
        let error = inbox.pull().await.unwrap_err();
        assert!(
            matches!(error, Error::Net(NetError::Malformed | NetError::Refused(404))),
            "{path}: {error:?}"
        );
        assert!(server.requests().len() - before <= 4, "{path}");
        assert_eq!(inbox.replica.source(inbox.source).unwrap().cursor, None);
    }
}

#[tokio::test]
async fn a_long_feed_is_taken_in_parts_newest_first_and_goes_on_after_a_restart() {
    let items = (0..250).map(|n| {
        let at = stamp("2026-11-01T00:00:00Z").plus_secs(60 * n).to_datetime().to_rfc2822();
        format!("<item><guid>{n}</guid><pubDate>{at}</pubDate></item>")
    });
    let (server, inbox) = of("/f", &format!("{RSS}etag: \"v1\"\r\n"), rss(&items.collect::<String>())).await;
    let client = inbox.client();
    let first = client.page(Since::default(), 100).await.unwrap().page;
    let ids = |page: &tidings_replica::Page| {
        let ids = page.service_items.iter().map(|item| item.msgid.as_str().parse::<i64>().unwrap());
        ids.collect::<Vec<_>>()
    };
    assert_eq!((ids(&first), first.more), ((150..250).collect(), true));
    let since = Since { cursor: first.next, epoch: None };
    assert_eq!(client.remaining(since.clone()).await.unwrap(), Some(150));
    let second = client.page(since.clone(), 100).await.unwrap().page;
    assert_eq!((ids(&second), server.requests().len()), ((50..150).collect(), 1));
    // A program that starts again reads the document again, and goes on.
    let again = inbox.client().page(since, 100).await.unwrap().page;
    assert_eq!((ids(&again), again.next.clone()), (ids(&second), second.next.clone()));
    let since = Since { cursor: second.next, epoch: None };
    let last = client.page(since, 100).await.unwrap().page;
    assert_eq!((ids(&last), last.more), ((0..50).collect(), false));
}

#[tokio::test]
async fn a_document_without_end_is_asked_for_once_and_a_gone_one_ends_nothing_here() {
    let (server, inbox) = of("/f", RSS, rss("<item><guid>1</guid></item>")).await;
    inbox.pull().await.unwrap();
    let before = server.requests().len();
    server.faults().plan(0, Fault::HugeBody);
    assert!(matches!(inbox.pull().await, Err(Error::Net(NetError::AnswerTooLarge))));
    assert_eq!(server.requests().len(), before + 1);
    server.faults().plan(0, Fault::Status(410, String::new()));
    assert!(matches!(inbox.pull().await, Err(Error::Net(NetError::Refused(410)))));
    assert_eq!(inbox.items().len(), 1);
    assert!(inbox.replica.source(inbox.source).unwrap().cursor.is_some(), "nothing begins anew");
}

#[tokio::test]
async fn the_charset_of_the_answer_counts_more_than_that_of_the_document() {
    let mut gbk = b"<?xml version=\"1.0\" encoding=\"UTF-8\"?>".to_vec();
    // The title in GBK.
    let title = [0xb1, 0xea, 0xcc, 0xe2];
    gbk.extend(rss("<item><guid>1</guid><title>@</title></item>").bytes().flat_map(|byte| match byte {
        b'@' => title.to_vec(),
        byte => vec![byte],
    }));
    let (_server, inbox) = of("/gbk", "content-type: text/xml; Charset=\"GBK\"\r\n", gbk).await;
    inbox.pull().await.unwrap();
    assert_eq!(inbox.item().content.title, "标题");
}

#[tokio::test]
async fn the_same_feed_by_its_page_and_by_its_own_address_is_one_source() {
    let server = Feed::start().await;
    let clock: Arc<dyn Clock> = Arc::new(tidings_model::SystemClock);
    server.put("/", HTML, "<!doctype html><link rel=alternate type=application/rss+xml href=/feed>");
    server.put("/feed", RSS, rss("<item><guid>1</guid></item>"));
    server.put("/other", RSS, rss("<item><guid>2</guid></item>"));
    let feed = protocol("feed").unwrap();
    let probed = async |path: &str| probe::find(feed, &[server.at(path)], "", &clock).await.unwrap();
    let row = |probed: &Probed| Source {
        protocol: "feed".to_owned(),
        url: probed.url.clone(),
        ..Source::default()
    };
    let (by_page, by_feed, other) = (probed("/").await, probed("/feed").await, probed("/other").await);
    assert!(probe::same_inbox(&[row(&by_feed)], feed, &by_page).is_some(), "the page comes second");
    // A source that was added by its page, and pulled.
    let inbox = ServiceInbox::of("feed", &server.at("/"), "");
    inbox.pull().await.unwrap();
    let known = inbox.replica.sources().unwrap();
    assert!(probe::same_inbox(&known, feed, &by_feed).is_some(), "the feed comes second");
    assert!(probe::same_inbox(&known, feed, &by_page).is_some());
    assert!(probe::same_inbox(&known, feed, &other).is_none());
}

#[tokio::test]
async fn large_feeds_of_every_day_are_read_whole() {
    let media = |n: usize| {
        let contents = format!("<media:content url=\"https://v.example/{n}.mp4\" medium=\"video\"><media:rating>x</media:rating></media:content>").repeat(8);
        let credits = "<media:credit role=\"author\">Somebody</media:credit>".repeat(6);
        format!(
            "<media:group><media:title>Video {n}</media:title>{contents}<media:thumbnail url=\"https://v.example/{n}.jpg\"/>{credits}</media:group>"
        )
    };
    let words =
        "<p>Some <b>words</b> of a <a href=\"/x\">post</a> that is <i>rather</i> long.</p>".repeat(30);
    let mut items = String::new();
    for n in 0..1_500 {
        let categories = "<category>Some category</category>".repeat(12);
        write!(
            items,
            "<item><guid>n{n}</guid><title>Title {n}</title><link>https://a.example/{n}</link>{categories}\
             <dc:creator>Ana</dc:creator><description><![CDATA[{words}]]></description>{}\
             <itunes:category text=\"a\"><itunes:category text=\"b\"/></itunes:category></item>",
            media(n)
        )
        .unwrap();
    }
    let document = format!(
        "<rss version=\"2.0\" xmlns:media=\"http://search.yahoo.com/mrss/\" xmlns:dc=\"http://purl.org/dc/elements/1.1/\" \
         xmlns:itunes=\"http://www.itunes.com/dtds/podcast-1.0.dtd\"><channel><title>Large</title>{items}</channel></rss>"
    );
    assert!(document.len() > 5 << 20, "{}", document.len());
    let (_server, inbox) = of("/large", RSS, document).await;
    assert_eq!(inbox.pull().await.unwrap().arrived, 1_500);
}
