//! Tests a source from a wrong address to its removal, all in the settings.

use serde_json::json;
use support::{
    app, client::Client, desktop::Desktop, page::Page, program::free_port, server::ServerProcess, wait,
};
use tidings_testkit::services::{Ntfy, ScriptedService};

async fn announce(server: &ServerProcess, title: &str) {
    server.admin().post("announcements", json!({"title": title, "body": "For everybody"})).await.success();
}

#[tokio::test]
async fn a_source_is_tested_added_edited_paused_signed_in_again_and_removed() {
    let desktop = Desktop::start();
    let server = ServerProcess::start();
    let ana = server.admin().user("ana", &["inbox"]).await;
    announce(&server, "Welcome aboard").await;
    let page = Page::open(&desktop).await;

    added_once_it_answers(&page, &server, &ana).await;
    edited(&page, &server).await;
    paused_and_resumed(&desktop, &page, &server).await;
    signed_in_again(&page, &server, &ana).await;
    removed_but_for_what_it_brought(&desktop, &page, &server).await;
    app::tidings(&desktop.data_dir(), &["check"]);
    page.close().await;
}

/// The form explains what is wrong, and adds nothing before the source answers.
async fn added_once_it_answers(page: &Page<'_>, server: &ServerProcess, ana: &Client) {
    page.open_settings("Sources").await;
    page.press_button("Add source").await;
    let nobody = format!("127.0.0.1:{}", free_port());
    page.fill_field("Address", &format!("http://{nobody}")).await;
    page.fill_field("Token", "tdg_made_up").await;
    page.press_button("Add").await;
    page.wait_for_text(&format!("No answer from {nobody}")).await;
    page.fill_field("Address", &server.url()).await;
    page.press_button("Add").await;
    page.wait_for_text("refused the token").await;

    page.fill_field("Token", &ana.token).await;
    page.fill_field("Name", "Office").await;
    page.press_button("Add").await;
    page.wait_for_snackbar("“Office” added. Signed in as ana. 1 unread").await;
    // What was just added is open.
    is_seen_as_open(page, "Office").await;
    page.click(".source:not(.is-chosen) .source-pick").await;
    is_seen_as_open(page, "This computer").await;
    page.type_quickly("gi").await;
    page.wait_for_row("Welcome aboard").await;
}

/// Waits until a source is open, and no other has the background that shows it.
async fn is_seen_as_open(page: &Page<'_>, name: &str) {
    let script = "const paint = one => getComputedStyle(one, '::before').backgroundColor;
        const open = document.querySelector('.source:has([aria-pressed=true])');
        if (!open || paint(open) === 'rgba(0, 0, 0, 0)') return null;
        return [...document.querySelectorAll('.source')].filter(one => paint(one) === paint(open))
          .map(one => one.querySelector('b').textContent)";
    wait::until_equal("the sources that are seen as open", json!([name]), || page.script(script)).await;
}

/// What an edit is refused for changes nothing; then the source has its new name everywhere.
async fn edited(page: &Page<'_>, server: &ServerProcess) {
    page.open_settings("Sources").await;
    page.press_button("More for Office").await;
    page.press_button("Edit…").await;
    page.fill_field("Name", "Work").await;
    page.fill_field("Address", &format!("http://127.0.0.1:{}", free_port())).await;
    page.press_button("Save").await;
    page.wait_for_text("The saved token is only sent to").await;
    page.wait_for_text("Notifications from Office").await;
    page.fill_field("Address", &server.url()).await;
    page.press_button("Save").await;
    page.wait_for_text("Notifications from Work").await;
    page.wait_for_no_text("Edit Office").await;
}

/// While the source is paused nothing is pulled; afterwards everything is.
async fn paused_and_resumed(desktop: &Desktop, page: &Page<'_>, server: &ServerProcess) {
    page.open_settings("Sources").await;
    page.press_button("More for Work").await;
    page.press_button("Pause").await;
    page.wait_for_text("Paused since").await;
    app::wait_for_pause(&desktop.data_dir(), "tidings").await;
    announce(server, "While you rest").await;
    wait::stays(wait::QUIET_PERIOD, "unread", 1, || async { app::unread(&desktop.data_dir()) }).await;
    page.press_button("Resume").await;
    wait::until_equal("unread", 2, || async { app::unread(&desktop.data_dir()) }).await;
    page.wait_for_no_text("Paused since").await;
}

/// A revoked token ends the live channel at once. Marks wait until there is a new token, and then arrive.
async fn signed_in_again(page: &Page<'_>, server: &ServerProcess, ana: &Client) {
    let tokens = ana.get("tokens").await.is(200);
    let id = tokens[0]["id"].as_str().expect("a token has an id").to_owned();
    server.admin().delete(&format!("tokens/{id}")).await.is(204);
    page.wait_for_text("Needs sign-in. The token was refused").await;
    page.wait_for_text("Work needs sign-in").await;
    announce(server, "Behind the door").await;
    page.type_quickly("gi").await;
    page.click_row("While you rest").await;
    page.type_text("e").await;
    page.wait_for_snackbar("archived").await;

    let fresh = json!({"label": "again", "scopes": ["inbox"]});
    let fresh = server.admin().post("users/ana/tokens", fresh).await.success();
    let fresh = fresh["token"].as_str().expect("a token");
    page.open_settings("Sources").await;
    page.press_button("Sign in…").await;
    page.fill_field("Token", "tdg_made_up").await;
    page.press_button("Sign in").await;
    page.wait_for_text("refused the token").await;
    page.fill_field("Token", fresh).await;
    page.press_button("Sign in").await;
    page.wait_for_snackbar("Signed in as ana").await;
    page.type_quickly("gi").await;
    page.wait_for_row("Behind the door").await;
    let ana = ana.with_token(fresh);
    wait::until_equal("what was archived meanwhile, at the server", 2, || async {
        ana.get("inbox?archived=true").await.is(200)["items"].as_array().map_or(0, Vec::len)
    })
    .await;
}

async fn removed_but_for_what_it_brought(desktop: &Desktop, page: &Page<'_>, server: &ServerProcess) {
    let before = app::unread(&desktop.data_dir());
    page.open_settings("Sources").await;
    page.press_button("More for Work").await;
    page.press_button("Remove…").await;
    page.press_button("Keep its notifications").await;
    page.wait_for_snackbar("“Work” removed").await;
    page.wait_for_text("Removed. Its notifications are kept").await;
    announce(server, "Nobody hears this").await;
    wait::stays(wait::QUIET_PERIOD, "unread", before, || async { app::unread(&desktop.data_dir()) }).await;
    page.type_quickly("gi").await;
    page.wait_for_row("Behind the door").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_source_gets_one_more_topic_by_one_field_and_what_is_published_there_arrives() {
    let ntfy = Ntfy::with(&["alerts"], true).await;
    ntfy.store(json!({"id": Ntfy::id(1), "time": 1, "message": "Disk almost full"}));
    let url = ntfy.url();
    let (server, topic) = url.rsplit_once('/').expect("it ends with its topic");
    let desktop = Desktop::start();
    let page = Page::open(&desktop).await;
    page.open_settings("Sources").await;
    page.press_button("Add source").await;
    page.select_option("Type", "ntfy").await;
    page.fill_field("Address", server).await;
    page.fill_field("Topics", topic).await;
    page.fill_field("Name", "Home").await;
    page.press_button("Add").await;
    page.wait_for_snackbar("“Home” added").await;
    page.type_quickly("gi").await;
    page.wait_for_row("Disk almost full").await;

    page.open_settings("Sources").await;
    page.press_button("More for Home").await;
    page.press_button("Edit…").await;
    page.fill_field("Topics", "alerts, doorbell").await;
    page.press_button("Save").await;
    page.wait_for_no_text("Edit Home").await;
    ntfy.store(
        json!({"id": Ntfy::id(2), "time": 2, "topic": "doorbell", "message": "Someone is at the door"}),
    );
    page.type_quickly("gi").await;
    page.wait_for_row("Someone is at the door").await;
    page.wait_for_row("Disk almost full").await;
    page.close().await;
}
