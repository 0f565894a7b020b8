//! What other programs' toasts say, in the inbox: of the programs that the reader switched on, and never of Tidings.

use std::collections::HashMap;

use serde_json::{Value, json};
use support::{
    app::{self, App},
    desktop::Desktop,
    page::Page,
    program::built,
    toasts::Toasts,
    wait,
};
use zbus::{Connection, zvariant};

const KEEP: &str = "Keep notifications from other programs";

/// Shows a toast as a program does, and waits for the daemon's answer.
async fn tell(bus: &Connection, program: &str, text: &str) {
    let (name, path) = ("org.freedesktop.Notifications", "/org/freedesktop/Notifications");
    let hints: HashMap<&str, zvariant::Value<'_>> = HashMap::new();
    let arguments = (program, 0_u32, "", text, "<b>while you slept</b>", Vec::<&str>::new(), hints, -1_i32);
    let answer = bus.call_method(Some(name), path, Some(name), "Notify", &arguments).await;
    answer.expect("the daemon shows a toast");
}

/// The titles of all items, newest first.
fn titles(desktop: &Desktop) -> Vec<String> {
    let items = app::tidings_json(&desktop.data_dir(), &["list", "--limit", "1000"]);
    let title = |item: &Value| item["title"].as_str().unwrap_or_default().to_owned();
    items.as_array().expect("a list").iter().map(title).collect()
}

/// Shows toasts as a program until one of them has had its effect: the bus lets Tidings read along a moment after it
/// was switched on.
async fn tell_until(bus: &Connection, program: &str, what: &str, effect: impl AsyncFn() -> bool) {
    let nth = std::cell::Cell::new(0);
    wait::until(what, || async {
        nth.set(nth.get() + 1);
        tell(bus, program, &format!("{program} number {}", nth.get())).await;
        effect().await
    })
    .await;
}

async fn is_on(page: &Page<'_>, switch: &str) -> bool {
    let script = format!(
        "return document.querySelector('[role=switch][aria-label=\"{switch}\"]')?.getAttribute('aria-checked')"
    );
    page.script(&script).await == json!("true")
}

#[tokio::test]
async fn the_nights_toasts_of_a_chosen_program_are_found_in_the_morning() {
    let desktop = Desktop::start();
    let (page, bus) = (Page::open(&desktop).await, desktop.bus().await);
    page.open_section("Sources", "other-programs").await;
    page.wait_for_text("The text stays on this computer").await;
    assert!(!is_on(&page, KEEP).await, "off by default");
    tell(&bus, "Mail", "Nobody keeps this").await;

    page.press_button(KEEP).await;
    page.wait_for_text("No program has shown a notification since").await;
    for program in ["Chat", "Mail"] {
        let switch = format!("[aria-label='Keep notifications of {program}']");
        tell_until(&bus, program, "the program in the list", async || {
            !page.find_all(&switch).await.is_empty()
        })
        .await;
    }
    let switch = "Keep notifications of Mail";
    assert!(!is_on(&page, switch).await, "a program is off until it is chosen");
    assert_eq!(titles(&desktop), [""; 0], "of what is not chosen nothing is kept");
    page.press_button(switch).await;
    wait::until("the program to be chosen", || async { is_on(&page, switch).await }).await;

    tell_until(&bus, "Mail", "a toast in the inbox", async || !titles(&desktop).is_empty()).await;
    tell(&bus, "Chat", "Not for the inbox").await;
    tell(&bus, "Mail", "The ferry leaves at six").await;
    let newest = || async { titles(&desktop).first().cloned().unwrap_or_default() };
    wait::until_equal("the newest item", "The ferry leaves at six".to_owned(), newest).await;
    assert!(titles(&desktop).iter().all(|title| !title.contains("Chat") && !title.contains("Not for")));
    page.close().await;

    let page = Page::open(&desktop).await;
    page.wait_for_row("The ferry leaves at six").await;
    let found = app::tidings_json(&desktop.data_dir(), &["search", "ferry"]);
    assert_eq!(found.as_array().map(Vec::len), Some(1), "{found}");
    assert_eq!((&found[0]["body"], &found[0]["actor"]["name"]), (&json!("while you slept"), &json!("Mail")));
    let file = |name: &str| std::fs::read(desktop.data_dir().join(name)).unwrap_or_default();
    let bytes = [file("replica.db"), file("replica.db-wal")].concat();
    let holds = |text: &str| bytes.windows(text.len()).any(|part| part == text.as_bytes());
    assert!(!holds("Not for the inbox") && !holds("Nobody keeps this"), "not even on the disk");

    page.open_section("Sources", "other-programs").await;
    page.press_button(KEEP).await;
    page.wait_for_text("No new notifications are kept").await;
    app::wait_for_pause(&desktop.data_dir(), "desktop").await;
    let kept = titles(&desktop);
    tell(&bus, "Mail", "Too late").await;
    wait::stays(wait::QUIET_PERIOD, "what is kept", kept, || async { titles(&desktop) }).await;
    page.close().await;
}

#[tokio::test]
async fn toasts_of_tidings_itself_are_never_kept() {
    let desktop = Desktop::with_recorded_toasts();
    let (toasts, bus) = (Toasts::record(&desktop).await, desktop.bus().await);
    let add = || {
        let mut command = desktop.command(built("tidings"));
        command.args(["source", "add", "desktop", "Tidings,Mail"]);
        command.output().expect("tidings starts")
    };
    let added = add();
    assert!(added.status.success(), "{added:?}");
    assert_eq!(String::from_utf8_lossy(&added.stdout), "added Other programs, at desktop:Mail\n");
    assert!(!add().status.success(), "there is one such source");
    // Nothing reads along here, and nothing fails.
    app::tidings(&desktop.data_dir(), &["pull"]);

    let running = App::start(&desktop, &["--background"]);
    let server = running.server().await;
    tell_until(&bus, "Mail", "a toast in the inbox", async || !titles(&desktop).is_empty()).await;
    server.publish("deploys", "Deploy 7 is out", &[]).await;
    let own = toasts.wait_for("Deploy 7 is out").await;
    assert_eq!(own.app, "Tidings");
    tell(&bus, "Mail", "After the deploy").await;
    let newest = || async { titles(&desktop).first().cloned().unwrap_or_default() };
    wait::until_equal("the newest item", "After the deploy".to_owned(), newest).await;
    let of_deploy = || async {
        let items = app::tidings_json(&desktop.data_dir(), &["search", "deploy"]);
        items.as_array().map_or(0, |all| all.iter().filter(|item| item["body"] == "Deploy 7 is out").count())
    };
    wait::stays(wait::QUIET_PERIOD, "the items of the deploy", 1, of_deploy).await;
    let own_toasts = toasts.calls().into_iter().filter(|toast| toast.app == "Tidings");
    assert_eq!(own_toasts.count(), 1, "what other programs told makes no toast again");
    assert!(!running.log().contains("After the deploy"), "no text is logged");
}
