//! Tests of the elements that a screen reader finds in the real window over AT-SPI: roles, names, live regions and the
//! focus.

use support::{
    app,
    desktop::{Desktop, DesktopOptions},
    page::{Page, keys},
    screen_reader::{Accessible, ScreenReader},
    server::ServerProcess,
    wait,
};

/// The roles of elements that one can operate: each needs a name.
const CONTROLS: [&str; 14] = [
    "button",
    "checkbox",
    "combobox",
    "dialog",
    "link",
    "listbox",
    "menu",
    "menuitem",
    "option",
    "radio",
    "searchbox",
    "separator",
    "switch",
    "textbox",
];

/// Fails the test if something that one can operate has no name.
async fn everything_is_named(reader: &ScreenReader, view: &str) {
    let nameless =
        |one: &Accessible| one.showing && CONTROLS.contains(&&*one.role) && one.name.trim().is_empty();
    let nameless: Vec<Accessible> = reader.objects().await.into_iter().filter(nameless).collect();
    assert!(nameless.is_empty(), "without a name in {view}: {nameless:#?}");
}

#[tokio::test]
async fn a_screen_reader_reads_the_list_the_pane_a_conversation_and_dialogs() {
    let desktop = Desktop::with_options(DesktopOptions { screen_reader: true, ..DesktopOptions::default() });
    let reader = ScreenReader::start(&desktop).await;
    let server = ServerProcess::start();
    let ana = server.admin().user_named("ana", "Ana Ruiz", &["inbox"]).await;
    let bo = server.admin().user_named("bo", "Bo Kessler", &["inbox"]).await;
    bo.post("messages", serde_json::json!({"to": "ana", "body": "Lunch at noon?"})).await.success();
    app::add_source(&desktop.data_dir(), &ana);
    let page = Page::open(&desktop).await;
    let own = app::own_server(&desktop).await;
    own.publish("backups", "Backup of the laptop done", &[]).await;
    page.wait_for_row("Backup of the laptop").await;
    page.wait_for_row("Lunch at noon").await;

    // The list: landmarks to jump to, and rows that are one sentence with their state and place.
    let row = reader.wait_for("option", "Backup of the laptop done").await;
    assert!(row.name.contains("backups") && row.name.contains("unread"), "{row:?}");
    assert_eq!(row.attributes.get("setsize").map(String::as_str), Some("2"), "{row:?}");
    assert!(row.within.contains(&"listbox Inbox".to_owned()), "{row:?}");
    for landmark in ["navigation", "main", "complementary"] {
        reader.wait_for(landmark, "").await;
    }
    everything_is_named(&reader, "the list").await;

    // The pane: the title is a heading, and a live region says what was done.
    page.click_row("Backup of the laptop").await;
    reader.wait_for("heading", "backups").await;
    everything_is_named(&reader, "the pane").await;
    page.press_keys(['e']).await;
    let told = wait::until("what was done to be told", || async {
        let is_told = |one: &Accessible| one.name.contains("archived") || one.text.contains("archived");
        reader.objects().await.into_iter().find(|one| one.role == "status" && is_told(one))
    })
    .await;
    assert_eq!(told.attributes.get("live").map(String::as_str), Some("polite"), "{told:?}");

    // A conversation: the field to write in has the focus and a name, as has each of its buttons.
    page.click_row("Lunch at noon").await;
    page.press_keys([keys::ENTER]).await;
    reader.wait_for_focus("textbox", "Write").await;
    everything_is_named(&reader, "a conversation").await;

    // Dialogs: named, with the focus inside.
    page.press_keys([keys::ESCAPE]).await;
    page.wait_for(".reading-pane .scroll:focus").await;
    page.press_keys([keys::ESCAPE]).await;
    page.wait_for(".list [role=listbox]:focus").await;
    for (key, dialog) in [('?', "Keyboard shortcuts"), ('c', "New conversation")] {
        page.press_keys([key]).await;
        let shown = reader.wait_for("dialog", dialog).await;
        let around = format!("dialog {}", shown.name);
        wait::until("the focus inside the dialog", || async {
            reader.objects().await.iter().any(|one| one.focused && one.within.contains(&around))
        })
        .await;
        everything_is_named(&reader, dialog).await;
        page.press_keys([keys::ESCAPE]).await;
        page.wait_for("body:not(:has([role=dialog]))").await;
    }
    page.close().await;
}
