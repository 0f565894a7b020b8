//! Tests that attachments and HTTP actions cause no request before the reader asks for one, and of what is copied.

use std::fs;

use serde_json::json;
use support::{
    app,
    client::Client,
    desktop::Desktop,
    page::{Page, keys},
    program::root,
    scripted::ScriptedServer,
    wait,
};

/// Publishes a notification with an attachment on another server.
async fn publish_with_file(server: &Client, file_server: &ScriptedServer, text: &str, file: &str) {
    let at = format!("http://{}/{file}", file_server.host());
    server.publish("camera", text, &[("Attach", &at)]).await;
}

fn head(media: &str, length: usize) -> String {
    format!("HTTP/1.1 200 OK\r\nContent-Type: {media}\r\nContent-Length: {length}\r\n\r\n")
}

#[tokio::test]
async fn a_file_is_fetched_when_it_is_asked_for_and_shown_and_saved() {
    let desktop = Desktop::start();
    let page = Page::open(&desktop).await;
    let server = app::own_server(&desktop).await;
    let file_server = ScriptedServer::start().await;
    publish_with_file(&server, &file_server, "Somebody is at the door", "door.png").await;
    page.click_row("at the door").await;
    page.wait_for_text(&format!("door.png\n{}", file_server.host())).await;
    file_server.assert_no_request().await;

    page.press_button("Show").await;
    let mut asked = file_server.request().await;
    assert!(asked.request.starts_with("GET /door.png HTTP/1.1"), "{}", asked.request);
    assert!(!asked.request.to_lowercase().contains("authorization"), "a token is for its own server");
    let picture = fs::read(root().join("icons/app/128.png")).expect("it is committed");
    asked.send(head("image/png", picture.len()).as_bytes()).await.unwrap();
    asked.send(&picture).await.unwrap();
    let drawn = "return document.querySelector('img.attachment-image')?.naturalWidth";
    wait::until_equal("the width of the picture", json!(128), || page.script(drawn)).await;

    let kept = desktop.path().join("kept.png");
    page.press_button("Save…").await;
    desktop.answer_file_dialog("Save the file", &kept).await;
    page.wait_for_snackbar("Saved").await;
    assert_eq!(fs::read(kept).expect("it is there"), picture);
    page.close().await;
}

#[tokio::test]
async fn a_slow_file_says_how_far_it_is() {
    let desktop = Desktop::start();
    let page = Page::open(&desktop).await;
    let server = app::own_server(&desktop).await;
    let file_server = ScriptedServer::start().await;
    publish_with_file(&server, &file_server, "The log of tonight", "night.log").await;
    page.click_row("log of tonight").await;
    page.press_button("Show").await;
    let mut asked = file_server.request().await;
    let log = "nobody came\n".repeat(15_000);
    let (half, rest) = log.as_bytes().split_at(log.len() / 2);
    asked.send(head("text/plain", log.len()).as_bytes()).await.unwrap();
    asked.send(half).await.unwrap();
    page.wait_for_text("90 KB of 180 KB").await;
    let bar = "return document.querySelector('.attachment-box [role=progressbar]')?.ariaValueNow";
    wait::until_equal("the bar", json!(half.len().to_string()), || page.script(bar)).await;
    asked.send(rest).await.unwrap();
    page.wait_for_text("nobody came").await;
    page.wait_for_text("Only the beginning is shown").await;
    page.close().await;
}

#[tokio::test]
async fn a_button_says_where_it_calls_and_calls_when_it_is_pressed() {
    let desktop = Desktop::start();
    let page = Page::open(&desktop).await;
    let server = app::own_server(&desktop).await;
    let file_server = ScriptedServer::start().await;
    let button = format!("http, Restart, http://{}/restart, body=yes", file_server.host());
    server.publish("builds", "Build failed", &[("Actions", &button)]).await;
    page.click_row("Build failed").await;
    page.wait_for_text(&format!("calls {}", file_server.host())).await;
    file_server.assert_no_request().await;

    page.press_button("Restart").await;
    let mut call = file_server.request().await;
    assert!(call.request.starts_with("POST /restart HTTP/1.1"), "{}", call.request);
    call.send(b"HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n").await.unwrap();
    page.wait_for_snackbar(&format!("{} answered 503", file_server.host())).await;
    page.press_button("Restart").await;
    file_server.request().await.send(b"HTTP/1.1 204 No Content\r\n\r\n").await.unwrap();
    page.wait_for_snackbar("Done").await;
    page.close().await;
}

#[tokio::test]
async fn a_button_copies_its_text_and_the_menu_of_an_item_the_link_to_it() {
    let desktop = Desktop::start();
    let page = Page::open(&desktop).await;
    let server = app::own_server(&desktop).await;
    let headers = [("Markdown", "yes"), ("Actions", "copy, Copy code, 481516")];
    server.publish("door", "- [x] Unlock\n- [ ] Lock again", &headers).await;
    page.click_row("Unlock").await;
    let tasks = "return [...document.querySelectorAll('.md [data-task]')]
        .map(one => [one.innerText.trim(), getComputedStyle(one.closest('li')).listStyleType])";
    let boxes = json!([["☑", "none"], ["☐", "none"]]);
    wait::until_equal("boxes in place of bullets", boxes, || page.script(tasks)).await;
    page.press_button("Copy code").await;
    assert_eq!(page.clipboard().await, "481516");

    page.click_row("Unlock").await;
    page.wait_for(".md [data-task]").await;
    page.press_chord(keys::CONTROL, keys::DOWN).await;
    page.wait_for("[data-item-msgid]:focus").await;
    page.script("document.activeElement.querySelector('[data-item-menu]').focus()").await;
    page.press_keys([keys::ENTER]).await;
    page.press_button("Copy link to this item").await;
    page.wait_for_snackbar("Link copied").await;
    let msgid = server.inbox().await[0]["msgid"].as_str().expect("a msgid").to_owned();
    assert_eq!(page.clipboard().await, format!("tidings://open/{msgid}"));
    page.close().await;
}

#[tokio::test]
async fn an_image_is_fetched_by_the_program_and_only_when_it_is_asked_for() {
    let desktop = Desktop::start();
    let page = Page::open(&desktop).await;
    let server = app::own_server(&desktop).await;
    let file_server = ScriptedServer::start().await;
    let body = format!("Tonight: ![the door](http://{}/door.png)", file_server.host());
    server.publish("camera", &body, &[("Markdown", "yes")]).await;
    page.click_row("Tonight").await;
    page.wait_for_text(&format!("Image from {}", file_server.host())).await;
    file_server.assert_no_request().await;

    page.press_button("Show").await;
    let mut asked = file_server.request().await;
    assert!(asked.request.starts_with("GET /door.png HTTP/1.1"), "{}", asked.request);
    assert!(!asked.request.to_lowercase().contains("referer"), "{}", asked.request);
    let picture = fs::read(root().join("icons/app/32.png")).expect("an icon");
    asked.send(head("image/png", picture.len()).as_bytes()).await.unwrap();
    asked.send(&picture).await.unwrap();
    let drawn = "const image = document.querySelector('.md img');
        return image?.complete && image.naturalWidth === 32 && image.src.startsWith('data:image/png');";
    wait::until_equal("the picture", json!(true), || page.script(drawn)).await;
    // The page itself may load nothing from other hosts, whatever elements it contains.
    page.script(&format!(
        "const image = new Image(); image.src = 'http://{}/spy.png'; document.body.append(image);",
        file_server.host()
    ))
    .await;
    file_server.assert_no_request().await;
    page.close().await;
}
