//! What comes along with a notification: a file, and a button that calls out. Refuses to fetch or to call before a
//! person asks for it.

use std::fs;

use serde_json::json;
use support::{app, client::Client, desktop::Desktop, listener::Listener, page::Page, program::root, wait};

/// A notification with a file that somebody's server has.
async fn came_with(server: &Client, there: &Listener, words: &str, file: &str) {
    let at = format!("http://{}/{file}", there.host());
    server.publish("camera", words, &[("Attach", &at)]).await;
}

fn head(media: &str, length: usize) -> String {
    format!("HTTP/1.1 200 OK\r\nContent-Type: {media}\r\nContent-Length: {length}\r\n\r\n")
}

#[tokio::test]
async fn a_file_is_fetched_when_it_is_asked_for_and_shown_and_saved() {
    let desktop = Desktop::start();
    let page = Page::open(&desktop).await;
    let server = app::own_server(&desktop).await;
    let there = Listener::open().await;
    came_with(&server, &there, "Somebody is at the door", "door.png").await;
    page.click_row("at the door").await;
    page.reads(&format!("door.png\n{}", there.host())).await;
    there.hears_nothing().await;

    page.press("Show").await;
    let mut asked = there.hears("\r\n\r\n").await;
    assert!(asked.text.starts_with("GET /door.png HTTP/1.1"), "{}", asked.text);
    assert!(!asked.text.to_lowercase().contains("authorization"), "a token is for its own server");
    let picture = fs::read(root().join("icons/app/128.png")).expect("it is committed");
    asked.say(head("image/png", picture.len()).as_bytes()).await;
    asked.say(&picture).await;
    let drawn = "return document.querySelector('img.attachment-image')?.naturalWidth";
    wait::until_equal("the width of the picture", json!(128), || page.script(drawn)).await;

    let kept = desktop.path().join("kept.png");
    page.press("Save…").await;
    desktop.answers_with_file("Save the file", &kept).await;
    page.says("Saved").await;
    assert_eq!(fs::read(kept).expect("it is there"), picture);
    page.end().await;
}

#[tokio::test]
async fn a_slow_file_says_how_far_it_is() {
    let desktop = Desktop::start();
    let page = Page::open(&desktop).await;
    let server = app::own_server(&desktop).await;
    let there = Listener::open().await;
    came_with(&server, &there, "The log of tonight", "night.log").await;
    page.click_row("log of tonight").await;
    page.press("Show").await;
    let mut asked = there.hears("\r\n\r\n").await;
    let log = "nobody came\n".repeat(15_000);
    let (half, rest) = log.as_bytes().split_at(log.len() / 2);
    asked.say(head("text/plain", log.len()).as_bytes()).await;
    asked.say(half).await;
    page.reads("90 KB of 180 KB").await;
    let bar = "return document.querySelector('.attachment-box [role=progressbar]')?.ariaValueNow";
    wait::until_equal("the bar", json!(half.len().to_string()), || page.script(bar)).await;
    asked.say(rest).await;
    page.reads("nobody came").await;
    page.reads("Only the beginning is shown").await;
    page.end().await;
}

#[tokio::test]
async fn a_button_says_where_it_calls_and_calls_when_it_is_pressed() {
    let desktop = Desktop::start();
    let page = Page::open(&desktop).await;
    let server = app::own_server(&desktop).await;
    let there = Listener::open().await;
    let button = format!("http, Restart, http://{}/restart, body=yes", there.host());
    server.publish("builds", "Build failed", &[("Actions", &button)]).await;
    page.click_row("Build failed").await;
    page.reads(&format!("calls {}", there.host())).await;
    there.hears_nothing().await;

    page.press("Restart").await;
    let mut call = there.hears("yes").await;
    assert!(call.text.starts_with("POST /restart HTTP/1.1"), "{}", call.text);
    call.say(b"HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n").await;
    page.says(&format!("{} answered 503", there.host())).await;
    page.press("Restart").await;
    there.hears("yes").await.say(b"HTTP/1.1 204 No Content\r\n\r\n").await;
    page.says("Done").await;
    page.end().await;
}

#[tokio::test]
async fn an_image_is_fetched_by_the_program_and_only_when_it_is_asked_for() {
    let desktop = Desktop::start();
    let page = Page::open(&desktop).await;
    let server = app::own_server(&desktop).await;
    let there = Listener::open().await;
    let body = format!("Tonight: ![the door](http://{}/door.png)", there.host());
    server.publish("camera", &body, &[("Markdown", "yes")]).await;
    page.click_row("Tonight").await;
    page.reads(&format!("Image from {}", there.host())).await;
    there.hears_nothing().await;

    page.press("Show").await;
    let mut asked = there.hears("\r\n\r\n").await;
    assert!(asked.text.starts_with("GET /door.png HTTP/1.1"), "{}", asked.text);
    assert!(!asked.text.to_lowercase().contains("referer"), "{}", asked.text);
    let picture = fs::read(root().join("icons/app/32.png")).expect("an icon");
    asked.say(head("image/png", picture.len()).as_bytes()).await;
    asked.say(&picture).await;
    let drawn = "const image = document.querySelector('.md img');
        return image?.complete && image.naturalWidth === 32 && image.src.startsWith('data:image/png');";
    wait::until_equal("the picture", json!(true), || page.script(drawn)).await;
    // The page itself may load nothing from elsewhere, whatever stands in it.
    page.script(&format!(
        "const image = new Image(); image.src = 'http://{}/spy.png'; document.body.append(image);",
        there.host()
    ))
    .await;
    there.hears_nothing().await;
    page.end().await;
}
