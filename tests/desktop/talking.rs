//! A conversation in a real window: what is written reaches the others, also when their server was away meanwhile, and
//! who has read it is told by name. Refuses to take the window's word for what the others got.

use reqwest::Method;
use serde_json::json;
use support::{
    app,
    client::Client,
    desktop::Desktop,
    page::{Page, keys},
    server::Server,
    wait,
};

/// A user with a name and a token of its own.
async fn person(server: &Server, id: &str, name: &str) -> Client {
    server.admin().post("/users", json!({"id": id, "name": name})).await;
    let token =
        server.admin().post(&format!("/users/{id}/tokens"), json!({"label": "", "scopes": ["inbox"]})).await;
    server.admin().with_token(token["token"].as_str().unwrap())
}

/// What somebody got, the oldest first, each with its id.
async fn got(who: &Client) -> Vec<(String, String)> {
    let text = |item: &serde_json::Value, name: &str| item[name].as_str().unwrap().to_owned();
    who.pulled().await.iter().map(|item| (text(item, "body"), text(item, "msgid"))).collect()
}

async fn write(page: &Page<'_>, words: &str) {
    page.click(".composer textarea").await;
    page.types(words).await;
    page.keys([keys::ENTER]).await;
    wait::until_equal("the field", json!(""), || {
        page.script("return document.querySelector('.composer textarea').value")
    })
    .await;
}

#[tokio::test]
async fn what_is_written_in_the_window_arrives_with_the_server_away_too_and_is_read_by_name() {
    let desktop = Desktop::start();
    let mut server = Server::start();
    let ana = person(&server, "ana", "Ana Ruiz").await;
    let bo = person(&server, "bo", "Bo Kessler").await;
    let chen = person(&server, "chen", "Chen Yu").await;
    ana.post("/groups", json!({"id": "crew", "name": "Release crew", "members": ["bo", "chen"]})).await;
    bo.post("/groups/crew/messages", json!({"body": "Are we ready?"})).await;
    let add = ["source", "add", "tidings", &server.url(), "--token", &ana.token, "--name", "Work"];
    app::tidings(&desktop.data(), &add);

    let page = Page::open(&desktop).await;
    page.click_row("Release crew").await;
    page.reads("Are we ready?").await;
    write(&page, "Ready to ship").await;
    wait::until("the message to reach the others", || async {
        got(&chen).await.iter().any(|(body, _)| body == "Ready to ship").then_some(())
    })
    .await;
    wait::until_equal("what is on its way", 0, || async { page.find_all("[data-outgoing]").await.len() })
        .await;

    server.stop();
    page.reads("What you send waits").await;
    write(&page, "On my way").await;
    let waiting =
        || page.script("return document.querySelector('[data-outgoing]')?.closest('.run').innerText ?? ''");
    wait::until("the message to say that it waits", || async {
        let said = waiting().await.as_str().unwrap_or_default().to_lowercase();
        (said.contains("on my way") && said.contains("wait")).then_some(())
    })
    .await;
    server.again();
    wait::within(2 * wait::SOON, "the message to be sent by itself", || async {
        got(&bo).await.iter().any(|(body, _)| body == "On my way").then_some(())
    })
    .await;
    wait::until_equal("what is on its way", 0, || async { page.find_all("[data-outgoing]").await.len() })
        .await;
    let words: Vec<String> = got(&chen).await.into_iter().map(|(body, _)| body).collect();
    assert_eq!(words, ["Are we ready?", "Ready to ship", "On my way"], "each of them once");

    let last = got(&bo).await.pop().unwrap().1;
    let (status, answer) =
        bo.api(Method::PUT, "/conversations/group:crew/read", json!({ "through": last })).await;
    assert!(status.is_success(), "{answer}");
    page.reads("Read by 1 of 2").await;
    page.click(&format!("[data-receipt='{last}']")).await;
    let names = || page.script("return document.querySelector('.popover')?.innerText ?? ''");
    wait::until("the names of the readers", || async {
        let said = names().await.as_str().unwrap_or_default().to_owned();
        let (read, unread) = said.split_once("Not yet")?;
        (read.contains("Bo Kessler") && unread.contains("Chen Yu") && !unread.contains("Ana")).then_some(())
    })
    .await;
    page.keys([keys::ESCAPE]).await;

    person(&server, "dora", "Dora Lind").await;
    let (status, answer) = ana.api(Method::PUT, "/groups/crew/members/dora", json!(null)).await;
    assert!(status.is_success(), "{answer}");
    page.click("[data-members]").await;
    wait::until("the people of the group, the new one among them", || async {
        let said = names().await.as_str().unwrap_or_default().to_owned();
        let (others, _you) = said.split_once("Ana Ruiz")?;
        (said.contains("4 people") && others.contains("Dora Lind") && others.contains("Chen Yu"))
            .then_some(())
    })
    .await;
    page.end().await;
    app::tidings(&desktop.data(), &["check"]);
    app::tidings(&server.data(), &["check"]);
}

/// What is wrong with the form, in words.
async fn told(page: &Page<'_>, words: &str) {
    let script =
        "return document.querySelector('.dialog [role=alert], .dialog .answer.is-danger')?.innerText ?? ''";
    wait::until(&format!("the form to say {words:?}"), || async {
        page.script(script).await.as_str()?.contains(words).then_some(())
    })
    .await;
}

/// The form that begins a conversation is open, or is gone.
async fn form(page: &Page<'_>, open: bool) {
    wait::until_equal("forms that are open", usize::from(open), || async {
        page.find_all(".dialog .people-field").await.len()
    })
    .await;
    if open {
        wait::until_equal("the focus in it", json!(true), || {
            page.script("return document.activeElement?.matches('.people-field input') ?? false")
        })
        .await;
    }
}

#[tokio::test]
async fn a_conversation_is_begun_with_the_keyboard_and_a_wrong_name_loses_nothing() {
    let desktop = Desktop::start();
    let mut server = Server::start();
    let ana = person(&server, "ana", "Ana Ruiz").await;
    let bo = person(&server, "bo", "Bo Kessler").await;
    let chen = person(&server, "chen", "Chen Yu").await;
    app::tidings(
        &desktop.data(),
        &["source", "add", "tidings", &server.url(), "--token", &ana.token, "--name", "Work"],
    );
    let page = Page::open(&desktop).await;
    page.types("gc").await;
    wait::until("the button for it", || async { page.find_all("[data-compose]").await.into_iter().next() })
        .await;
    page.click("[data-compose]").await;
    form(&page, true).await;

    // Nobody is called so: what was written stays, and only the name is put right.
    page.types("bob").await;
    page.keys([keys::ENTER, keys::TAB]).await;
    page.types("Lunch at noon?").await;
    page.keys([keys::ENTER]).await;
    told(&page, "Nobody is called bob at Work. Nothing was sent, and your message is kept here").await;
    assert!(got(&bo).await.is_empty());
    page.keys([keys::ESCAPE]).await;
    form(&page, false).await;
    page.types("c").await;
    form(&page, true).await;
    page.keys([keys::BACKSPACE]).await;
    page.types("bo").await;
    page.keys([keys::ENTER, keys::TAB, keys::ENTER]).await;
    form(&page, false).await;
    wait::until_equal("what Bo got", vec!["Lunch at noon?".to_owned()], || async {
        got(&bo).await.into_iter().map(|(body, _)| body).collect::<Vec<_>>()
    })
    .await;
    page.has_row("Lunch at noon?").await;
    wait::until_equal("the conversation to be open", json!("bo"), || {
        page.script("return document.querySelector('.reading-pane h1')?.innerText")
    })
    .await;
    page.types("And tea after it.").await;
    page.keys([keys::ENTER]).await;
    wait::until("the next one, written where the focus was", || async {
        (got(&bo).await.len() == 2).then_some(())
    })
    .await;

    // Away: one person is written to all the same, and a group has to wait with all that was written.
    server.stop();
    page.reads("What you send waits").await;
    page.command("New conversation").await;
    form(&page, true).await;
    page.types("chen,").await;
    page.keys([keys::TAB]).await;
    page.types("Are you in?").await;
    page.keys([keys::ENTER]).await;
    form(&page, false).await;
    page.has_row("You: Are you in?").await;
    page.command("New conversation").await;
    form(&page, true).await;
    page.types("bo,chen,").await;
    page.keys([keys::TAB]).await;
    page.types("Lunch crew").await;
    page.keys([keys::TAB]).await;
    page.types("Who books?").await;
    page.keys([keys::ENTER]).await;
    told(&page, "Work cannot be reached, and only it can make the group").await;
    server.again();
    wait::within(2 * wait::SOON, "the first message to Chen to be sent by itself", || async {
        got(&chen).await.iter().any(|(body, _)| body == "Are you in?").then_some(())
    })
    .await;
    page.keys([keys::ENTER]).await;
    form(&page, false).await;
    page.reads("3 people").await;
    wait::until_equal("what Chen got", vec!["Are you in?".to_owned(), "Who books?".to_owned()], || async {
        got(&chen).await.into_iter().map(|(body, _)| body).collect::<Vec<_>>()
    })
    .await;
    assert_eq!(
        ana.get("/groups").await.as_array().unwrap().len(),
        1,
        "one group, however often it was asked for"
    );
    page.end().await;
    app::tidings(&desktop.data(), &["check"]);
    app::tidings(&server.data(), &["check"]);
}
