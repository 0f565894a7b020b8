//! Tests of `tidings:` links, passed to the running program or at its start.

use support::{
    app,
    client::Client,
    desktop::Desktop,
    page::Page,
    program::{Process, built},
    tray::Tray,
    wait,
};

const UNKNOWN_ITEM: &str = "This notification is not on this computer";

/// Starts the app again with a link; returns whether the link was accepted, and the output.
fn open_link(desktop: &Desktop, link: &str) -> (bool, String) {
    let mut command = desktop.command(built("tidings-desktop"));
    command.arg(link);
    let mut second = Process::start("second start", command, &desktop.path().join("second.log"));
    let status = second.exit_within(wait::TEST_TIMEOUT).expect("the second start ends by itself");
    (status.success(), second.output())
}

pub(super) async fn link_to(server: &Client, body: &str) -> (String, String) {
    let items = server.inbox().await;
    let item = items.iter().find(|item| item["body"] == body).expect("it was published");
    let msgid = item["msgid"].as_str().expect("a name").to_owned();
    (format!("tidings://open/{msgid}"), msgid)
}

/// Waits until the reading pane shows this item and its row is the current one.
pub(super) async fn wait_for_item(page: &Page<'_>, msgid: &str, text: &str) {
    wait::until(&format!("{text:?} in the reading pane"), || async {
        let item = page.find_all(&format!("[data-item-msgid='{msgid}']")).await.pop()?;
        item.text().await.ok()?.contains(text).then_some(())
    })
    .await;
    let chosen =
        "return document.querySelector('[role=option][aria-selected=true]')?.innerText.includes('home')";
    wait::until_equal("the chosen row", serde_json::json!(true), || page.script(chosen)).await;
}

pub(super) async fn quit(desktop: &Desktop) {
    Tray::find(desktop).await.choose("Quit").await;
    wait::until_equal("programs that run", 0, || async { app::pids(desktop).len() }).await;
}

#[tokio::test]
async fn a_link_brings_the_window_up_on_that_very_item_whether_it_runs_or_not() {
    let desktop = Desktop::start();
    let page = Page::open(&desktop).await;
    let server = app::own_server(&desktop).await;
    for n in 1..=3 {
        server.publish("home", &format!("Load {n} is dry"), &[]).await;
    }
    server.publish("parcels", "Your parcel is here", &[]).await;
    page.wait_for_row("Your parcel is here").await;
    let (link, msgid) = link_to(&server, "Load 2 is dry").await;

    assert_eq!(open_link(&desktop, &link), (true, String::new()));
    wait_for_item(&page, &msgid, "Load 2 is dry").await;
    let (taken, output) = open_link(&desktop, "tidings://open/nobody-wrote-this");
    assert!(!taken && output.contains(UNKNOWN_ITEM), "{output}");
    page.wait_for_snackbar(UNKNOWN_ITEM).await;
    quit(&desktop).await;

    let page = Page::open_with(&desktop, &[&link]).await;
    wait_for_item(&page, &msgid, "Load 2 is dry").await;
    quit(&desktop).await;

    let page = Page::open_with(&desktop, &["tidings://open/nobody-wrote-this"]).await;
    page.wait_for_snackbar(UNKNOWN_ITEM).await;
    page.wait_for_row("Your parcel is here").await;
    page.close().await;
}
