//! Tests that a feed reads as what it is: entries with a title, which nobody did anything to.

use serde_json::json;
use support::{app, desktop::Desktop, page::Page, server::ServerProcess, wait};
use tidings_model::{Clock, SystemClock};
use tidings_testkit::services::Feed;

#[tokio::test(flavor = "multi_thread")]
async fn a_feed_leads_with_its_titles_and_is_not_among_people() {
    let desktop = Desktop::start();
    let (feed, work) = (Feed::start().await, ServerProcess::start());
    let at = SystemClock.now().to_datetime().to_rfc2822();
    let entry = format!(
        "<item><guid>1</guid><title>A bridge opens</title><description>It took nine years</description>\
         <pubDate>{at}</pubDate></item>"
    );
    let document = format!("<rss version=\"2.0\"><channel><title>Daily</title>{entry}</channel></rss>");
    feed.put("/news.xml", "content-type: application/rss+xml\r\n", document);
    let url = feed.at("/news.xml");
    app::tidings(&desktop.data_dir(), &["source", "add", "feed", &url, "--name", "Daily"]);
    let ana = work.admin().user_named("ana", "Ana Ruiz", &["inbox"]).await;
    let dan = work.admin().user_named("dan", "Dan Ito", &["inbox"]).await;
    dan.post("messages", json!({"to": "ana", "body": "Lunch at noon?"})).await.success();
    app::add_source(&desktop.data_dir(), &ana);

    let page = Page::open(&desktop).await;
    page.wait_for_row("Lunch at noon?").await;
    page.wait_for_row("A bridge opens").await;
    let row = "const row = [...document.querySelectorAll('[role=option]')]
          .find(one => one.innerText.includes('A bridge opens'));
        return ['.thread-who .long', '.thread-what > :first-child', '.thread-what b']
          .map(css => row?.querySelector(css)?.textContent.trim())";
    assert_eq!(page.script(row).await, json!(["Daily", "A bridge opens", "A bridge opens"]));
    page.click_row("A bridge opens").await;
    let title = || page.script("return document.querySelector('.reading-pane .sheet-title')?.innerText");
    wait::until_equal("the title in the pane", json!("A bridge opens"), title).await;
    page.wait_for_text("It took nine years").await;
    let shown = "return [...document.querySelectorAll('[role=option], .reading-pane')].map(one => one.innerText).join()";
    let shown = page.script(shown).await.to_string().to_lowercase();
    assert!(shown.contains("a bridge opens") && !shown.contains("published"), "{shown}");

    // Both names begin so.
    page.type_text("/").await;
    page.type_text("from:da").await;
    let people = wait::until("people who are called so", || async {
        let list = page.script("return document.querySelector('.completions')?.innerText ?? ''").await;
        list.as_str().filter(|list| list.contains("from:dan")).map(str::to_owned)
    })
    .await;
    assert!(!people.contains("Daily"), "{people}");
    page.close().await;
}
