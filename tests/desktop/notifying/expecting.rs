//! Tests that a topic which falls silent is told once, in a toast and in the window, and so is its return.

use std::{sync::Arc, time::Duration};

use reqwest::Method;
use serde_json::json;
use support::{app, client::Client, desktop::Desktop, page::Page, toasts::Toasts, wait};
use tempfile::TempDir;
use tidings_model::wire::Scope;
use tidings_server::{Server, ServerConfig};
use tidings_testkit::{clock::ManualClock, server::RunningServer};

/// How far the clock of the server goes at each look of the test, seconds. A longer step could leave a gap, which does
/// not count as silence.
const STEP: i64 = 2;

/// The server of Ana, whose clock the test moves.
struct Work {
    running: RunningServer,
    clock: ManualClock,
    ana: Client,
    _folder: TempDir,
}

impl Work {
    async fn start() -> Self {
        let (folder, clock) = (TempDir::new().unwrap(), ManualClock::running());
        let mut config = ServerConfig::new(folder.path());
        config.upkeep_interval = Duration::from_millis(50);
        config.open_publish = true;
        config.standalone_owner = Some("ana".to_owned());
        let server = Server::open(config, Arc::new(clock.clone())).await.unwrap();
        let scopes = [Scope::Inbox, Scope::Publish];
        let token = server.owner("ana", "Ana Ruiz", "test", &scopes).await.unwrap().token;
        let running = RunningServer::serve(server).await;
        let ana = Client::new(&running.url, &token);
        Self { running, clock, ana, _folder: folder }
    }

    /// Publishes on a topic that expects a publication every minute.
    async fn publish(&self, body: &str) {
        let request = self.ana.request(Method::POST, "/nightly").header("X-Expect", "1m");
        self.ana.send(request.body(body.to_owned())).await.is(200);
    }

    /// Lets time pass and returns how many items have this title.
    async fn later(&self, title: &str) -> usize {
        self.clock.advance(STEP);
        self.ana.inbox().await.iter().filter(|item| item["title"] == title).count()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_topic_that_falls_silent_is_told_once_and_so_is_its_return() {
    let desktop = Desktop::with_recorded_toasts();
    let toasts = Toasts::record(&desktop).await;
    let work = Work::start().await;
    work.publish("Backup done").await;
    app::add_source(&desktop.data_dir(), &work.ana);
    let page = Page::open(&desktop).await;
    page.wait_for_row("Backup done").await;
    expected_by_the_settings(&desktop, &page).await;

    let missing = "Nothing came on nightly";
    wait::until("the silence to be told", || async { work.later(missing).await == 1 }).await;
    toasts.wait_for(missing).await;
    page.wait_for_row(missing).await;
    wait::stays(wait::QUIET_PERIOD, "how often it was told", 1, || work.later(missing)).await;

    work.publish("Backup done again").await;
    let back = "nightly is back";
    wait::until("the return to be told", || async { work.later(back).await == 1 }).await;
    toasts.wait_for(back).await;
    page.wait_for_row(back).await;
    page.close().await;
    work.running.stop().await;
}

/// The form of a topic takes what it expects, and the own server keeps it. Ends in the inbox.
async fn expected_by_the_settings(desktop: &Desktop, page: &Page<'_>) {
    let server = app::own_server(desktop).await;
    page.open_section("This computer", "topics").await;
    page.press_button("Add topic…").await;
    page.fill_field("Topic", "backups").await;
    page.fill_field("Expect a notification at least every", "26 h").await;
    page.press_button("Save").await;
    page.wait_for_snackbar("backups saved").await;
    page.wait_for_text("Expected every 26 h").await;
    assert_eq!(server.get("topics/backups").await.is(200)["expect_secs"], json!(26 * 3_600));
    page.type_quickly("gi").await;
    page.wait_for_row("Backup done").await;
}
