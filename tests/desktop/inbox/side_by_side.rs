//! A day with five kinds of sources in one inbox: a Tidings server, ntfy, Gotify, GitHub and a feed. They are added,
//! read, archived and searched by the keyboard alone, go down and come back, and in the end both sides agree.

use serde_json::{Value, json};
use support::{
    app,
    client::Client,
    desktop::Desktop,
    page::{Page, keys},
    server::ServerProcess,
    wait,
};
use tidings_testkit::services::{Feed, GitHub, Gotify, Ntfy, ScriptedService};

/// The path of the feed.
const NEWS: &str = "/news.xml";
/// The numbers of threads at the forge: two that ask for a review, and two that mention.
const REVIEW: usize = 100;
const MENTION: usize = 101;
const OTHER_REVIEW: usize = 104;
const LATE_MENTION: usize = 105;

/// The services of the story.
struct Services {
    work: ServerProcess,
    ana: Client,
    ntfy: Ntfy,
    gotify: Gotify,
    github: GitHub,
    feed: Feed,
}

impl Services {
    /// Starts them, each with a notification.
    async fn start() -> Self {
        let work = ServerProcess::start();
        let ana = work.admin().user("ana", &["inbox"]).await;
        let services = Self {
            work,
            ana,
            ntfy: Ntfy::with(&["alerts"], false).await,
            gotify: Gotify::start().await,
            github: GitHub::start().await,
            feed: Feed::start().await,
        };
        services.announce("Door code changed").await;
        services.alert(1, "Disk almost full");
        services.gotify.add(1, json!({"title": "Backup", "message": "Backup done", "priority": 5}));
        services.github.publish(REVIEW);
        services.github.publish(MENTION);
        services.post(&["First post"]);
        services
    }

    async fn announce(&self, title: &str) {
        let announcement = json!({"title": title, "body": "For everybody"});
        self.work.admin().post("announcements", announcement).await.success();
    }

    fn alert(&self, nth: usize, text: &str) {
        self.ntfy.store(json!({"id": Ntfy::id(nth), "time": nth, "message": text}));
    }

    /// Puts entries with these titles into the feed, the oldest first.
    fn post(&self, titles: &[&str]) {
        let entry = |(nth, title): (usize, &&str)| {
            format!(
                "<item><guid>post-{nth}</guid><title>{title}</title><description>About it</description>\
                 <pubDate>Mon, 2 Nov 2026 08:0{nth}:00 GMT</pubDate></item>"
            )
        };
        let entries = titles.iter().enumerate().rev().map(entry).collect::<Vec<_>>().concat();
        let feed = format!("<rss version=\"2.0\"><channel><title>Daily</title>{entries}</channel></rss>");
        self.feed.put(NEWS, "content-type: application/rss+xml\r\n", feed);
    }

    /// Cuts every connection; nothing answers until [`Services::come_back`].
    fn go_down(&mut self) {
        for service in self.scripted() {
            service.faults().set_down(true);
        }
        self.ntfy.end_streams();
        self.gotify.end_streams();
        self.work.stop();
    }

    fn come_back(&mut self) {
        for service in self.scripted() {
            service.faults().set_down(false);
        }
        self.work.restart();
    }

    fn scripted(&self) -> [&dyn ScriptedService; 4] {
        [&self.ntfy, &self.gotify, &self.github, &self.feed]
    }

    /// How often the services were asked so far.
    fn requests(&self) -> [usize; 4] {
        self.scripted().map(|service| service.requests().len())
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn five_kinds_of_sources_side_by_side_are_read_offline_and_agree_in_the_end() {
    let mut services = Services::start().await;
    let desktop = Desktop::start();
    let page = Page::open(&desktop).await;

    all_are_added(&page, &services).await;
    what_is_new_appears(&desktop, &page, &services).await;
    services.go_down();
    all_are_known_to_be_away(&page).await;
    marks_are_made_meanwhile(&desktop, &page).await;
    the_services_go_on_meanwhile(&services);
    let refused = services.requests();
    services.come_back();
    both_sides_agree(&desktop, &page, &services).await;
    each_mark_was_sent_once(&services, refused);
    app::tidings(&desktop.data_dir(), &["check"]);
    app::tidings(&services.work.data_dir(), &["check"]);
    page.close().await;
}

/// Each is added by keys alone, and shows its notification.
async fn all_are_added(page: &Page<'_>, services: &Services) {
    let (work, news) = (services.ana.url.clone(), services.feed.at(NEWS));
    let [ntfy, gotify, github, _] = services.scripted().map(|service| (service.url(), service.token()));
    for (kind, protocol, name, (url, token)) in [
        ("Tidings", "tidings", "Work", (work, services.ana.token.clone())),
        ("ntfy", "ntfy", "Home", ntfy),
        ("Gotify", "gotify", "Cellar", gotify),
        ("GitHub", "github", "Code", github),
        ("Feed", "feed", "Daily", (news, String::new())),
    ] {
        page.run_command("Add a source").await;
        page.wait_for(".dialog [data-first]:focus").await;
        page.move_focus_to("Type", &[keys::SHIFT, keys::TAB]).await;
        choose(page, kind, protocol).await;
        enter(page, "Address", &url).await;
        if !token.is_empty() {
            enter(page, "Token", &token).await;
        }
        enter(page, "Name", name).await;
        page.press_keys([keys::ENTER]).await;
        page.wait_for_snackbar(&format!("“{name}” added")).await;
        page.wait_for("body:not(:has(.dialog))").await;
    }
    page.type_quickly("gi").await;
    for text in ["Door code changed", "Disk almost full", "Backup done", "item 100", "item 101", "First post"]
    {
        page.wait_for_row(text).await;
    }
}

/// Chooses an option of the select element with the focus by its first letters.
async fn choose(page: &Page<'_>, kind: &str, protocol: &str) {
    wait::until(&format!("the kind {kind}"), || async {
        // The letters belong together only if they come fast.
        page.type_quickly(kind).await;
        page.script("return document.activeElement?.value").await == json!(protocol)
    })
    .await;
}

/// Moves to a field and replaces its text.
async fn enter(page: &Page<'_>, label: &str, text: &str) {
    page.move_focus_to(label, &[keys::TAB]).await;
    page.press_chord(keys::CONTROL, 'a').await;
    page.type_quickly(text).await;
}

/// Three are live; the others are asked by a key. All count.
async fn what_is_new_appears(desktop: &Desktop, page: &Page<'_>, services: &Services) {
    wait::until_equal("open streams", (1, 1), || async {
        (services.ntfy.streams(), services.gotify.streams())
    })
    .await;
    services.announce("Lunch is served").await;
    services.alert(2, "Disk full");
    services.gotify.add(2, json!({"title": "Backup", "message": "Backup failed", "priority": 8}));
    for text in ["Lunch is served", "Disk full", "Backup failed"] {
        page.wait_for_row(text).await;
    }
    services.github.publish(OTHER_REVIEW);
    services.post(&["First post", "Second post"]);
    page.press_chord(keys::CONTROL, 'r').await;
    for text in ["item 104", "Second post"] {
        page.wait_for_row(text).await;
    }
    wait::until_equal("unread", 11, || async { app::unread(&desktop.data_dir()) }).await;
}

/// Every source says that it cannot be reached, and offers to try again.
async fn all_are_known_to_be_away(page: &Page<'_>) {
    page.open_settings("Sources").await;
    page.press_chord(keys::CONTROL, 'r').await;
    sources_that_retry(page, 5).await;
    page.type_quickly("gi").await;
    page.wait_for_row("item 104").await;
}

async fn sources_that_retry(page: &Page<'_>, count: usize) {
    let retrying = "if (document.querySelector('[data-source]') === null) return null;
        return [...document.querySelectorAll('[data-source] .btn.small')]
          .filter(one => one.innerText.trim() === 'Check now').length";
    wait::until_equal("sources that can't be reached", json!(count), || page.script(retrying)).await;
}

/// Search, read, archive and delete, all with nobody there.
async fn marks_are_made_meanwhile(desktop: &Desktop, page: &Page<'_>) {
    page.type_text("/").await;
    page.type_quickly("source:github reason:review-requested is:unread ").await;
    wait::until("the reviews that are asked for", || async {
        let rows = page.rows().await;
        rows.len() == 2 && rows[0].contains("item 104") && rows[1].contains("item 100")
    })
    .await;
    leave_search(page).await;

    for (words, text) in [("104 ", "item 104"), ("lunch ", "Lunch is served"), ("disk ", "Disk full")] {
        find(page, words, text).await;
        page.type_text("e").await;
        page.wait_for_snackbar("archived").await;
        leave_search(page).await;
        wait::until(&format!("{text:?} to leave"), || async {
            page.rows().await.iter().all(|row| !row.contains(text))
        })
        .await;
    }
    // Threads that are opened and not archived are read as they come on screen.
    for (words, text, source, left) in [
        ("backup ", "Backup failed", "Cellar", &[][..]),
        ("101 ", "item 101", "Code", &["item 100"]),
        ("second ", "Second post", "Daily", &["First post"]),
    ] {
        find(page, words, text).await;
        page.press_keys([keys::ENTER]).await;
        unread_are(desktop, source, left).await;
        if source == "Cellar" {
            delete(page, text).await;
        }
        leave_search(page).await;
    }
}

/// Searches for words that are in one thread alone, and moves to it.
async fn find(page: &Page<'_>, words: &str, text: &str) {
    page.type_text("/").await;
    page.type_quickly(words).await;
    wait::until(&format!("{text:?} alone"), || async {
        let rows = page.rows().await;
        rows.len() == 1 && rows[0].contains(text)
    })
    .await;
    page.press_keys([keys::DOWN]).await;
    page.wait_for(".list [role=listbox]:focus").await;
    page.wait_for("[role=option].is-current").await;
}

async fn leave_search(page: &Page<'_>) {
    let is_in_inbox =
        "return document.querySelector('.query') === null && !document.activeElement?.matches('input')";
    wait::until("the inbox", || async {
        page.press_keys([keys::ESCAPE]).await;
        page.script(is_in_inbox).await == json!(true)
    })
    .await;
    page.wait_for_row("First post").await;
}

/// Deletes an item of the open thread by its menu.
async fn delete(page: &Page<'_>, text: &str) {
    let focused = format!(
        "const one = document.activeElement;
         return one?.dataset.itemMsgid !== undefined && one.innerText.includes({})",
        json!(text)
    );
    wait::until(&format!("the focus on {text:?}"), || async {
        page.press_chord(keys::CONTROL, keys::DOWN).await;
        page.script(&focused).await == json!(true)
    })
    .await;
    page.script("document.activeElement.querySelector('[data-item-menu]').focus()").await;
    page.press_keys([keys::ENTER]).await;
    // A key that comes before the menu has the focus goes elsewhere.
    page.wait_for(":is([role=menu]:focus, [role=menu] :focus)").await;
    page.move_focus_to("Delete…", &[keys::DOWN]).await;
    page.press_keys([keys::ENTER]).await;
    // Its first focus comes a moment after it, and would take the place of a later one.
    page.wait_for(".dialog :focus").await;
    page.move_focus_to("Delete", &[keys::TAB]).await;
    page.press_keys([keys::ENTER]).await;
    page.wait_for("body:not(:has(.dialog))").await;
    page.wait_for_no_text(text).await;
}

/// What happens at the services while they can't be reached.
fn the_services_go_on_meanwhile(services: &Services) {
    services.alert(3, "Disk replaced");
    services.gotify.add(3, json!({"title": "Backup", "message": "Backup repaired", "priority": 2}));
    services.github.read_on_the_page(REVIEW);
    services.github.publish(LATE_MENTION);
    services.post(&["First post", "Second post", "Third post"]);
}

/// Items that were marked here are marked at the service, those that were marked there are marked here, and nothing was
/// missed.
async fn both_sides_agree(desktop: &Desktop, page: &Page<'_>, services: &Services) {
    page.open_settings("Sources").await;
    page.press_chord(keys::CONTROL, 'r').await;
    sources_that_retry(page, 0).await;
    page.type_quickly("gi").await;
    services.announce("Dinner is served").await;
    for text in ["Dinner is served", "Disk replaced", "Backup repaired", "item 105", "Third post"] {
        page.wait_for_row(text).await;
    }
    let at_the_forge = || async {
        let is_read = [REVIEW, MENTION, OTHER_REVIEW, LATE_MENTION].map(|n| services.github.is_read(n));
        (is_read.map(|read| read == Some(true)), services.github.is_archived(OTHER_REVIEW))
    };
    wait::until_equal("marks at the forge", ([true, true, true, false], Some(true)), at_the_forge).await;
    wait::until_equal("messages of Gotify", vec![1, 3], || async { services.gotify.ids() }).await;
    let archived = ["Lunch is served", "Door code changed"].map(str::to_owned).to_vec();
    wait::until_equal("what is archived at work", archived, || async {
        let archived = services.ana.get("inbox?archived=true").await.is(200);
        archived["items"].as_array().into_iter().flatten().map(|item| text_of(item, "title")).collect()
    })
    .await;
    for (source, unread) in [
        ("Work", vec!["Dinner is served"]),
        ("Home", vec!["Disk replaced"]),
        ("Cellar", vec!["Backup repaired"]),
        ("Code", vec!["item 105"]),
        ("Daily", vec!["Third post", "First post"]),
    ] {
        unread_are(desktop, source, &unread).await;
    }
    assert_eq!(services.ana.unread("total").await, 1, "as here");
    assert_eq!(app::unread(&desktop.data_dir()), 6);

    // What is equal stays equal: nothing is sent again.
    let before = services.requests();
    page.press_chord(keys::CONTROL, 'r').await;
    wait::until("one more request to each", || async {
        services.requests().iter().zip(before).all(|(now, before)| *now > before)
    })
    .await;
    wait::stays(wait::QUIET_PERIOD, "unread", 6, || async { app::unread(&desktop.data_dir()) }).await;
}

/// Besides the requests that nobody answered.
fn each_mark_was_sent_once(services: &Services, refused: [usize; 4]) {
    let [_, gotify, github, _] = refused;
    let sent = |service: &dyn ScriptedService, refused: usize, line: &str| {
        service.requests().iter().skip(refused).filter(|request| request.starts_with(line)).count()
    };
    let read = format!("PATCH /api/v3/notifications/threads/{}", services.github.msgid(MENTION));
    assert_eq!(sent(&services.github, github, &read), 1);
    assert_eq!(sent(&services.github, github, "DELETE "), 1);
    assert_eq!(sent(&services.gotify, gotify, "DELETE "), 1);
}

/// Waits until these texts, newest first, are what is unread in a source.
async fn unread_are(desktop: &Desktop, source: &str, texts: &[&str]) {
    wait::until_equal(&format!("what is unread in {source}"), texts.to_vec(), || async {
        let query = format!("source:{source} is:unread");
        let found = app::tidings_json(&desktop.data_dir(), &["search", &query]);
        let items = found.as_array().expect("a list").iter();
        let said = |item: &Value| format!("{}\n{}", text_of(item, "title"), text_of(item, "body"));
        let items = items.map(said).enumerate();
        items
            .map(|(nth, said)| {
                texts.get(nth).copied().filter(|text| said.contains(text)).unwrap_or("another")
            })
            .collect()
    })
    .await;
}

fn text_of(item: &Value, field: &str) -> String {
    item[field].as_str().unwrap_or_default().to_owned()
}
