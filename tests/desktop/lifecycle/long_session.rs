//! Tests one long session from the first start to the second, driven by keys, clicks, toasts and the tray.

use serde_json::json;
use support::{
    app,
    client::Client,
    desktop::{Desktop, DesktopOptions},
    page::{Page, keys},
    server::ServerProcess,
    toasts::Toasts,
    tray::Tray,
    wait,
};

/// The number of threads that are archived one by one with keys.
const THREADS: usize = 200;

async fn count(page: &Page<'_>, place: &str) -> String {
    let script = format!("return document.querySelector('[data-place={place}] .count')?.innerText ?? ''");
    page.script(&script).await.as_str().unwrap_or_default().to_owned()
}

async fn wait_for_count(page: &Page<'_>, place: &str, text: &str) {
    wait::until_equal(&format!("the number beside {place}"), text.to_owned(), || count(page, place)).await;
}

/// Waits until the list has this number of rows.
async fn wait_for_rows(page: &Page<'_>, rows: usize) {
    wait::until_equal("rows", rows, || async { page.rows().await.len() }).await;
}

#[tokio::test]
async fn a_day_at_the_desk() {
    let desktop = Desktop::with_options(DesktopOptions { dunst: false, ..DesktopOptions::default() });
    let toasts = Toasts::record(&desktop).await;
    let page = Page::open(&desktop).await;
    let server = app::own_server(&desktop).await;
    let tray = Tray::find(&desktop).await;

    first_run_and_a_toast(&desktop, &page, &server, &toasts).await;
    a_rule(&page, &server, &toasts).await;
    quiet_hours(&desktop, &page, &server, &toasts).await;
    triage_by_keys(&page, &server, &tray).await;
    undo_and_snooze(&page, &server).await;
    search_in_two_languages(&page, &server).await;
    conversation_with_receipts(&desktop, &page).await;
    language_and_theme(&page).await;

    let then = (page.rows().await, count(&page, "inbox").await, app::unread(&desktop.data_dir()));
    // Quit is the last entry of the tray menu in every language.
    let quit = tray.menu().await.pop().expect("a menu").label;
    tray.choose(&quit).await;
    everything_as_it_was(&desktop, &then).await;
}

/// The first start without a question, one `curl`, its toast, and a click on the toast that opens the item.
async fn first_run_and_a_toast(desktop: &Desktop, page: &Page<'_>, server: &Client, toasts: &Toasts) {
    page.wait_for_text(&format!("{}/backups", server.url)).await;
    server.publish("backups", "14.2 GB to nas-01", &[("Title", "Backup done")]).await;
    page.wait_for_row("Backup done").await;
    let toast = toasts.wait_for("Backup done").await;
    toasts.click(toast.id, "default").await;
    page.wait_for("[data-item-msgid]").await;
    wait::until_equal("unread after the click", 0, || async { app::unread(&desktop.data_dir()) }).await;
}

/// A rule is tried on existing items before it is saved, and applies from the next notification on.
async fn a_rule(page: &Page<'_>, server: &Client, toasts: &Toasts) {
    server.publish("printer", "Heartbeat of the printer", &[]).await;
    page.wait_for_row("Heartbeat of the printer").await;
    page.open_section("Notifications", "rules").await;
    page.press_button("Add rule").await;
    page.fill_field("Words", "heartbeat").await;
    page.press_button("Archive").await;
    page.press_button("No toast").await;
    page.press_button("Try").await;
    page.wait_for_text("1 of the newest").await;
    page.wait_for(".trial-rows li").await;
    page.press_button("Save").await;
    page.wait_for_snackbar("Rule saved").await;
    page.wait_for_text("Everything with “heartbeat”: archive and no toast").await;

    page.type_quickly("gi").await;
    wait_for_count(page, "inbox", "1").await;
    server.publish("boiler", "Heartbeat of the boiler", &[]).await;
    server.publish("backups", "Heartbeat of the backups", &[]).await;
    server.publish("door", "The door is open", &[]).await;
    page.wait_for_row("The door is open").await;
    toasts.wait_for("The door is open").await;
    wait_for_count(page, "inbox", "2").await;
    assert!(toasts.calls().iter().all(|toast| !toast.body.contains("boiler")), "{:?}", toasts.calls());
    // What the rule archives makes no row, neither lifts its thread nor speaks for it.
    let rows = page.rows().await;
    let shown = ["boiler", "The door is open", "Heartbeat of the printer", "Backup done"];
    let told = |row: &String| shown.into_iter().find(|text| row.contains(text));
    assert_eq!(rows.iter().filter_map(told).collect::<Vec<_>>(), shown[1..], "{rows:?}");
    page.type_quickly("gd").await;
    page.wait_for_row("Heartbeat of the boiler").await;
    page.type_quickly("gi").await;
}

/// During quiet hours toasts wait, counts change and urgent toasts pass; at their end one toast reports what waited.
async fn quiet_hours(desktop: &Desktop, page: &Page<'_>, server: &Client, toasts: &Toasts) {
    let hour = "return [-1, 2].map(by => new Date(Date.now() + by * 3600000).toTimeString().slice(0, 5))";
    let hours = page.script(hour).await;
    page.open_section("Notifications", "quiet-hours").await;
    page.press_button("Add quiet hours").await;
    page.fill_field("From", hours[0].as_str().expect("a time")).await;
    page.fill_field("To", hours[1].as_str().expect("a time")).await;
    page.wait_for_text("Quiet until").await;

    let (before, toast_calls) = (app::unread(&desktop.data_dir()), toasts.calls().len());
    server.publish("parcels", "Your parcel is here", &[]).await;
    server.publish("garden", "The lawn is wet", &[]).await;
    wait::until_equal("unread", before + 2, || async { app::unread(&desktop.data_dir()) }).await;
    wait::stays(wait::QUIET_PERIOD, "what was told", toast_calls, || async { toasts.calls().len() }).await;
    server.publish("kitchen", "Something burns", &[("Priority", "5")]).await;
    toasts.wait_for("Something burns").await;

    page.press_button("Quiet hours:").await;
    toasts.wait_for("2 new while you were away").await;
    assert_eq!(toasts.calls().len(), toast_calls + 2, "one toast for all of it: {:?}", toasts.calls());
    page.type_quickly("gi").await;
}

/// Archives everything at once; then 200 threads, each by one key that also selects the next.
async fn triage_by_keys(page: &Page<'_>, server: &Client, tray: &Tray) {
    page.press_keys([keys::ESCAPE]).await;
    page.press_chord(keys::CONTROL, 'a').await;
    page.type_text("e").await;
    wait_for_rows(page, 0).await;
    let jobs: Vec<_> = (0..THREADS).map(|n| (format!("job-{n:03}"), format!("Job {n} finished"))).collect();
    server.publish_many(&jobs).await;
    wait_for_count(page, "inbox", &THREADS.to_string()).await;
    tray.wait_for_number("9plus").await;
    page.type_text("j").await;
    for _ in 0..THREADS / 20 {
        page.type_text(&"e".repeat(20)).await;
    }
    wait_for_rows(page, 0).await;
    page.type_quickly("gd").await;
    wait::until("what was archived", || async { page.rows().await.len() > 10 }).await;
    page.type_quickly("gi").await;
    wait_for_count(page, "inbox", "").await;
    tray.wait_for_number("none").await;
}

/// Archiving is undone; a snoozed thread wakes when a new item arrives in it.
async fn undo_and_snooze(page: &Page<'_>, server: &Client) {
    page.type_text("z").await;
    page.wait_for_snackbar("back").await;
    wait_for_rows(page, 1).await;
    page.type_text("j").await;
    page.type_text("h").await;
    page.wait_for(".snooze").await;
    page.press_keys([keys::DOWN, keys::ENTER]).await;
    wait_for_rows(page, 0).await;
    page.wait_for_snackbar("snoozed until").await;
    page.type_quickly("gs").await;
    wait_for_rows(page, 1).await;
    let text = page.rows().await.remove(0);
    let at = text.find("job-").expect("its topic");
    let topic = text[at..at + "job-000".len()].to_owned();
    page.type_quickly("gi").await;
    server.publish(&topic, "Something new in it", &[]).await;
    page.wait_for_row("Something new in it").await;
    wait_for_count(page, "snoozed", "").await;
}

async fn search_in_two_languages(page: &Page<'_>, server: &Client) {
    server.publish("home", "洗衣机已完成，可以晾衣服了", &[]).await;
    page.wait_for_row("洗衣机").await;
    for (text, found) in [("nas-01", "Backup done"), ("衣机", "洗衣机")] {
        page.type_text("/").await;
        page.type_text(text).await;
        wait::until(&format!("what {text:?} finds"), || async {
            let rows = page.rows().await;
            rows.len() == 1 && rows[0].contains(found)
        })
        .await;
        page.press_keys([keys::ESCAPE, keys::ESCAPE, keys::ESCAPE]).await;
        page.type_quickly("gi").await;
        page.wait_for_row("洗衣机").await;
    }
}

/// A group on a team's server: a message written here is read by another member, who is listed as a reader.
async fn conversation_with_receipts(desktop: &Desktop, page: &Page<'_>) {
    let server = ServerProcess::start();
    let sam = server.admin().user("sam", &["inbox"]).await;
    let bo = server.admin().user("bo", &["inbox"]).await;
    bo.post("groups", json!({"id": "crew", "name": "Release crew", "members": ["sam"]})).await.success();
    bo.post("groups/crew/messages", json!({"body": "Ship it at noon?"})).await.success();
    app::add_source(&desktop.data_dir(), &sam);
    page.press_chord(keys::CONTROL, 'r').await;
    page.wait_for_row("Ship it at noon?").await;
    // The first pull of a source moves rows while a driver's click is under way.
    let row = "const row = [...document.querySelectorAll('[role=option]')].find(row => \
               row.innerText.includes('Ship it at noon?')); row?.click(); return Boolean(row)";
    wait::until_equal("a click on it", json!(true), || page.script(row)).await;
    page.click(".composer textarea").await;
    page.type_text("Noon is good.").await;
    page.press_keys([keys::ENTER]).await;
    let posted = wait::until("the message at the server", || async {
        let items = bo.inbox().await;
        items.into_iter().find(|item| item["body"] == "Noon is good.")
    })
    .await;
    let through = json!({ "through": posted["msgid"] });
    bo.put("conversations/group:crew/read", through).await.success();
    page.wait_for("[data-receipt]").await;
    page.wait_for_text("Read by 1 of 1").await;
    page.click("[data-receipt]").await;
    page.wait_for(".popover time").await;
    page.press_keys([keys::ESCAPE, keys::ESCAPE]).await;
    page.type_quickly("gi").await;
}

async fn language_and_theme(page: &Page<'_>) {
    page.run_command("Theme: Dark").await;
    let theme = || async { page.script("return document.documentElement.dataset.theme").await };
    wait::until_equal("the theme", json!("dark"), theme).await;
    page.run_command("Language: 简体中文").await;
    wait::until_equal("the language", json!("zh-CN"), || async {
        page.script("return document.documentElement.lang").await
    })
    .await;
    page.wait_for_text("收件箱").await;
    // The program's own texts change language at once.
    page.wait_for_row("我：Noon is good.").await;
}

/// After a restart the app has the rows, counts, language and theme of before.
async fn everything_as_it_was(desktop: &Desktop, then: &(Vec<String>, String, u64)) {
    wait::until_equal("programs that run", 0, || async { app::pids(desktop).len() }).await;
    let page = Page::open(desktop).await;
    wait::until_equal("rows", then.0.clone(), || page.rows()).await;
    assert_eq!(count(&page, "inbox").await, then.1);
    assert_eq!(app::unread(&desktop.data_dir()), then.2);
    let root = "const { lang, dataset } = document.documentElement; return [lang, dataset.theme]";
    assert_eq!(page.script(root).await, json!(["zh-CN", "dark"]));
    // The rule still applies.
    app::own_server(desktop).await.publish("fridge", "Heartbeat of the fridge", &[]).await;
    page.type_quickly("gd").await;
    page.wait_for_row("Heartbeat of the fridge").await;
    assert_eq!(app::unread(&desktop.data_dir()), then.2);
    app::tidings(&desktop.data_dir(), &["check"]);
    page.close().await;
}
