//! A whole session at one desk, from the first start to the second: what a person does in a day, in one go.
//! Refuses shortcuts: keys, clicks, toasts and the tray; a command of the terminal only looks.

use reqwest::Method;
use serde_json::{Value, json};
use support::{
    app,
    client::Client,
    desktop::{Desktop, Has},
    page::{Page, keys},
    server::Server,
    toasts::Toasts,
    tray::Tray,
    wait,
};

/// Threads that are gone through by keys alone.
const MANY: usize = 200;

async fn count(page: &Page<'_>, place: &str) -> String {
    let script = format!("return document.querySelector('[data-place={place}] .count')?.innerText ?? ''");
    page.script(&script).await.as_str().unwrap_or_default().to_owned()
}

async fn counts(page: &Page<'_>, place: &str, words: &str) {
    wait::until_equal(&format!("the number beside {place}"), words.to_owned(), || count(page, place)).await;
}

async fn is_there(page: &Page<'_>, css: &str) {
    wait::until(css, || async { (!page.find_all(css).await.is_empty()).then_some(()) }).await;
}

/// The rows of a place, once there are so many.
async fn has_rows(page: &Page<'_>, rows: usize) {
    wait::until_equal("rows", rows, || async { page.rows().await.len() }).await;
}

#[tokio::test]
async fn a_day_at_the_desk() {
    let desktop = Desktop::with(Has { dunst: false, ..Has::default() });
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
    talk_with_receipts(&desktop, &page).await;
    language_and_theme(&page).await;

    let then = (page.rows().await, count(&page, "inbox").await, unread(&desktop));
    // The last line of the tray's menu, in whatever language.
    let quit = tray.menu().await.pop().expect("a menu").label;
    tray.choose(&quit).await;
    everything_as_it_was(&desktop, &then).await;
}

fn unread(desktop: &Desktop) -> Value {
    app::tidings_json(&desktop.data(), &["unread"])["total"].clone()
}

/// No question asked, one curl, a toast, and a click on it opens what it speaks about.
async fn first_run_and_a_toast(desktop: &Desktop, page: &Page<'_>, server: &Client, toasts: &Toasts) {
    page.reads(&format!("{}/backups", server.url)).await;
    server.publish("backups", "14.2 GB to nas-01", &[("Title", "Backup done")]).await;
    page.has_row("Backup done").await;
    let toast = toasts.with("Backup done").await;
    toasts.click(toast.id, "default").await;
    is_there(page, "[data-item-msgid]").await;
    wait::until_equal("unread after the click", json!(0), || async { unread(desktop) }).await;
}

/// Tried on what is here before it is kept, it acts from the next notification on.
async fn a_rule(page: &Page<'_>, server: &Client, toasts: &Toasts) {
    server.publish("printer", "Heartbeat of the printer", &[]).await;
    page.has_row("Heartbeat of the printer").await;
    page.settings("Rules").await;
    page.press("Add rule").await;
    page.fill("Words", "heartbeat").await;
    page.press("Archive").await;
    page.press("No toast").await;
    page.press("Try").await;
    page.reads("1 of the newest").await;
    is_there(page, ".trial-rows li").await;
    page.press("Save").await;
    page.says("Rule saved").await;
    page.reads("Everything with “heartbeat”: archive and no toast").await;

    page.types("gi").await;
    counts(page, "inbox", "1").await;
    server.publish("boiler", "Heartbeat of the boiler", &[]).await;
    server.publish("door", "The door is open", &[]).await;
    page.has_row("The door is open").await;
    toasts.with("The door is open").await;
    counts(page, "inbox", "2").await;
    assert!(toasts.calls().iter().all(|toast| !toast.body.contains("boiler")), "{:?}", toasts.calls());
    assert!(page.rows().await.iter().all(|row| !row.contains("boiler")), "it is archived");
    page.types("gd").await;
    page.has_row("Heartbeat of the boiler").await;
    page.types("gi").await;
}

/// While they hold, toasts wait and numbers move; what is urgent passes. Their end tells all of it at once.
async fn quiet_hours(desktop: &Desktop, page: &Page<'_>, server: &Client, toasts: &Toasts) {
    let hour = "return [-1, 2].map(by => new Date(Date.now() + by * 3600000).toTimeString().slice(0, 5))";
    let hours = page.script(hour).await;
    page.settings("Notifications").await;
    page.press("Add quiet hours").await;
    page.fill("From", hours[0].as_str().expect("a time")).await;
    page.fill("To", hours[1].as_str().expect("a time")).await;
    page.reads("Quiet until").await;

    let (before, told) = (unread(desktop).as_u64().expect("a number"), toasts.calls().len());
    server.publish("parcels", "Your parcel is here", &[]).await;
    server.publish("garden", "The lawn is wet", &[]).await;
    wait::until_equal("unread", json!(before + 2), || async { unread(desktop) }).await;
    wait::stays(wait::A_WHILE, "what was told", told, || async { toasts.calls().len() }).await;
    server.publish("kitchen", "Something burns", &[("Priority", "5")]).await;
    toasts.with("Something burns").await;

    page.press("Quiet hours:").await;
    toasts.with("2 new while you were away").await;
    assert_eq!(toasts.calls().len(), told + 2, "one toast for all of it: {:?}", toasts.calls());
    page.types("gi").await;
}

/// Everything archived at once; then two hundred threads, each by one key, with the next one chosen by itself.
async fn triage_by_keys(page: &Page<'_>, server: &Client, tray: &Tray) {
    page.keys([keys::ESCAPE]).await;
    page.chord(keys::CONTROL, 'a').await;
    page.types("e").await;
    has_rows(page, 0).await;
    for n in 0..MANY {
        server.publish(&format!("job-{n:03}"), &format!("Job {n} finished"), &[]).await;
    }
    counts(page, "inbox", &MANY.to_string()).await;
    tray.shows("9plus").await;
    page.types("j").await;
    for _ in 0..MANY / 20 {
        page.types(&"e".repeat(20)).await;
    }
    has_rows(page, 0).await;
    page.types("gd").await;
    wait::until("what was archived", || async { (page.rows().await.len() > 10).then_some(()) }).await;
    page.types("gi").await;
    counts(page, "inbox", "").await;
    tray.shows("none").await;
}

/// What was done can be taken back; what sleeps wakes when something new comes.
async fn undo_and_snooze(page: &Page<'_>, server: &Client) {
    page.types("z").await;
    page.says("Undone").await;
    has_rows(page, 1).await;
    page.types("j").await;
    page.types("h").await;
    is_there(page, "[role=menu]").await;
    page.keys([keys::DOWN, keys::ENTER]).await;
    has_rows(page, 0).await;
    page.says("Snoozed until").await;
    page.types("gs").await;
    has_rows(page, 1).await;
    let words = page.rows().await.remove(0);
    let at = words.find("job-").expect("its topic");
    let topic = words[at..at + "job-000".len()].to_owned();
    page.types("gi").await;
    server.publish(&topic, "Something new in it", &[]).await;
    page.has_row("Something new in it").await;
    counts(page, "snoozed", "").await;
}

async fn search_in_two_languages(page: &Page<'_>, server: &Client) {
    server.publish("home", "洗衣机已完成，可以晾衣服了", &[]).await;
    page.has_row("洗衣机").await;
    for (words, found) in [("nas-01", "Backup done"), ("衣机", "洗衣机")] {
        page.types("/").await;
        page.types(words).await;
        wait::until(&format!("what {words:?} finds"), || async {
            let rows = page.rows().await;
            (rows.len() == 1 && rows[0].contains(found)).then_some(())
        })
        .await;
        page.keys([keys::ESCAPE, keys::ESCAPE, keys::ESCAPE]).await;
        page.types("gi").await;
        page.has_row("洗衣机").await;
    }
}

/// A group at a team's server: a message written here, read by another one, who is named.
async fn talk_with_receipts(desktop: &Desktop, page: &Page<'_>) {
    let server = Server::start();
    let sam = server.admin().user("sam", &["inbox"]).await;
    let bo = server.admin().user("bo", &["inbox"]).await;
    bo.post("/groups", json!({"id": "crew", "name": "Release crew", "members": ["sam"]})).await;
    bo.post("/groups/crew/messages", json!({"body": "Ship it at noon?"})).await;
    app::tidings(
        &desktop.data(),
        &["source", "add", "tidings", &server.url(), "--token", &sam.token, "--name", "Work"],
    );
    page.chord(keys::CONTROL, 'r').await;
    page.has_row("Ship it at noon?").await;
    // The first pull of a source moves rows under a slow hand.
    let row = "const row = [...document.querySelectorAll('[role=option]')].find(row => \
               row.innerText.includes('Ship it at noon?')); row?.click(); return Boolean(row)";
    wait::until_equal("a click on it", json!(true), || page.script(row)).await;
    page.click(".composer textarea").await;
    page.types("Noon is good.").await;
    page.keys([keys::ENTER]).await;
    let posted = wait::until("the message at the server", || async {
        let items = bo.inbox().await;
        items.into_iter().find(|item| item["body"] == "Noon is good.")
    })
    .await;
    let through = json!({ "through": posted["msgid"] });
    let (status, answer) = bo.api(Method::PUT, "/conversations/group:crew/read", through).await;
    assert!(status.is_success(), "{answer}");
    is_there(page, "[data-receipt]").await;
    page.reads("Read by 1 of 1").await;
    page.click("[data-receipt]").await;
    is_there(page, ".popover time").await;
    page.keys([keys::ESCAPE, keys::ESCAPE]).await;
    page.types("gi").await;
}

async fn language_and_theme(page: &Page<'_>) {
    page.command("Theme: Dark").await;
    let theme = || async { page.script("return document.documentElement.dataset.theme").await };
    wait::until_equal("the theme", json!("dark"), theme).await;
    page.command("Language: 简体中文").await;
    wait::until_equal("the language", json!("zh-CN"), || async {
        page.script("return document.documentElement.lang").await
    })
    .await;
    page.reads("收件箱").await;
    // What the program words follows.
    page.has_row("我：Noon is good.").await;
}

/// Started again, it has the rows, the numbers, the language and the theme of before.
async fn everything_as_it_was(desktop: &Desktop, then: &(Vec<String>, String, Value)) {
    wait::until_equal("programs that run", 0, || async { app::pids(desktop).len() }).await;
    let page = Page::open(desktop).await;
    wait::until_equal("rows", then.0.clone(), || page.rows()).await;
    assert_eq!(count(&page, "inbox").await, then.1);
    assert_eq!(unread(desktop), then.2);
    let root = "const { lang, dataset } = document.documentElement; return [lang, dataset.theme]";
    assert_eq!(page.script(root).await, json!(["zh-CN", "dark"]));
    // The rule goes on, too.
    app::own_server(desktop).await.publish("fridge", "Heartbeat of the fridge", &[]).await;
    page.types("gd").await;
    page.has_row("Heartbeat of the fridge").await;
    assert_eq!(unread(desktop), then.2);
    app::tidings(&desktop.data(), &["check"]);
    page.end().await;
}
