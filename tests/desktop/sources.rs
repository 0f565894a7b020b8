//! Another server's inbox, from the first wrong address to taking it away again, all in the settings.
//! Refuses the terminal: a person who never opens one must get through.

use reqwest::{Method, StatusCode};
use serde_json::{Value, json};
use support::{app, client::Client, desktop::Desktop, page::Page, program::free_port, server::Server, wait};

async fn announce(server: &Server, title: &str) {
    server.admin().post("/announcements", json!({"title": title, "body": "For everybody"})).await;
}

fn unread(desktop: &Desktop) -> Value {
    app::tidings_json(&desktop.data(), &["unread"])["total"].clone()
}

#[tokio::test]
async fn a_source_is_tested_added_paused_signed_in_again_and_removed() {
    let desktop = Desktop::start();
    let server = Server::start();
    let ana = server.admin().user("ana", &["inbox"]).await;
    announce(&server, "Welcome aboard").await;
    let page = Page::open(&desktop).await;

    added_once_it_answers(&page, &server, &ana).await;
    paused_and_resumed(&desktop, &page, &server).await;
    signed_in_again(&page, &server, &ana).await;
    removed_but_for_what_it_brought(&desktop, &page, &server).await;
    app::tidings(&desktop.data(), &["check"]);
    page.end().await;
}

/// What is wrong is said in words, and nothing is added before it is right.
async fn added_once_it_answers(page: &Page<'_>, server: &Server, ana: &Client) {
    page.settings("Sources").await;
    page.press("Add source").await;
    let nobody = format!("127.0.0.1:{}", free_port());
    page.fill("Address", &format!("http://{nobody}")).await;
    page.fill("Token", "tdg_made_up").await;
    page.press("Test").await;
    page.reads(&format!("Nothing answers at {nobody}")).await;
    page.fill("Address", &server.url()).await;
    page.press("Test").await;
    page.reads("refused the token").await;
    let add = "return [...document.querySelectorAll('.dialog button')].find(one => one.innerText === 'Add').disabled";
    assert_eq!(page.script(add).await, json!(true), "nothing is added untested");

    page.fill("Token", &ana.token).await;
    page.fill("Name", "Work").await;
    page.press("Test").await;
    page.reads("Signed in as ana. 1 unread").await;
    page.press("Add").await;
    page.says("Work added").await;
    page.types("gi").await;
    page.has_row("Welcome aboard").await;
}

/// While it is paused nothing is pulled; afterwards all of it.
async fn paused_and_resumed(desktop: &Desktop, page: &Page<'_>, server: &Server) {
    page.settings("Sources").await;
    page.press("More for Work").await;
    page.press("Pause").await;
    page.reads("Paused since").await;
    announce(server, "While you rest").await;
    wait::stays(wait::A_WHILE, "unread", json!(1), || async { unread(desktop) }).await;
    page.press("Resume").await;
    wait::until_equal("unread", json!(2), || async { unread(desktop) }).await;
    page.reads_no_more("Paused since").await;
}

/// A token that dies ends the stream at once. What is done until there is another waits and arrives.
async fn signed_in_again(page: &Page<'_>, server: &Server, ana: &Client) {
    let tokens = ana.get("/tokens").await;
    let id = tokens[0]["id"].as_str().expect("a token has an id").to_owned();
    let (status, answer) = server.admin().api(Method::DELETE, &format!("/tokens/{id}"), Value::Null).await;
    assert_eq!(status, StatusCode::NO_CONTENT, "{answer}");
    page.reads("Needs sign-in. The token was refused").await;
    page.reads("Work needs sign-in").await;
    announce(server, "Behind the door").await;
    page.types("gi").await;
    page.click_row("While you rest").await;
    page.types("e").await;
    page.says("1 thread archived").await;

    let fresh = json!({"label": "again", "scopes": ["inbox"]});
    let fresh = server.admin().post("/users/ana/tokens", fresh).await;
    let fresh = fresh["token"].as_str().expect("a token");
    page.settings("Sources").await;
    page.press("Sign in…").await;
    page.fill("Token", "tdg_made_up").await;
    page.press("Sign in").await;
    page.reads("refused the token").await;
    page.fill("Token", fresh).await;
    page.press("Sign in").await;
    page.says("Signed in as ana").await;
    page.types("gi").await;
    page.has_row("Behind the door").await;
    let ana = ana.with_token(fresh);
    wait::until_equal("what was archived meanwhile, at the server", 2, || async {
        ana.get("/inbox?archived=true").await["items"].as_array().map_or(0, Vec::len)
    })
    .await;
}

async fn removed_but_for_what_it_brought(desktop: &Desktop, page: &Page<'_>, server: &Server) {
    let before = unread(desktop);
    page.settings("Sources").await;
    page.press("More for Work").await;
    page.press("Remove…").await;
    page.press("Keep what it brought").await;
    page.says("Work removed").await;
    page.reads("Removed. What it brought is kept").await;
    announce(server, "Nobody hears this").await;
    wait::stays(wait::A_WHILE, "unread", before, || async { unread(desktop) }).await;
    page.types("gi").await;
    page.has_row("Behind the door").await;
}
