//! Visits what the settings show of sources: several of them, the form for each kind, how much came from each, and an
//! import. It also visits the form that publishes on a topic.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::json;
use support::{
    app,
    desktop::Desktop,
    page::{Page, keys},
    program::free_port,
    wait,
};
use tidings_model::{Clock, SystemClock};
use tidings_testkit::services::{Feed, Gotify, Ntfy, ScriptedService};
use tidings_testkit::tls::Authority;

use crate::tour::{Locale, resize, with_prepared_inbox};

/// The sizes of the window.
const SIZES: [(&str, u32, u32); 3] = [("-large", 2480, 1400), ("", 1280, 800), ("-small", 600, 500)];

/// Services of other kinds, with recent news.
struct Services {
    ntfy: Ntfy,
    gotify: Gotify,
    feed: Feed,
}

impl Services {
    async fn start(chinese: bool) -> Self {
        let l = |en: &'static str, zh: &'static str| if chinese { zh } else { en };
        let services = Self {
            ntfy: Ntfy::with(&["alerts", "door"], false).await,
            gotify: Gotify::start().await,
            feed: Feed::start().await,
        };
        let now = SystemClock.now();
        for nth in 0..12 {
            let time = now.as_secs() - 3_600 * i64::try_from(nth).unwrap();
            let topic = if nth % 4 == 0 { "door" } else { "alerts" };
            let text = l("Disk nas-01 is 91 % full", "nas-01 的磁盘已用 91%");
            services.ntfy.store(json!({"id": Ntfy::id(nth), "time": time, "topic": topic, "message": text}));
        }
        for nth in 1..=5 {
            let (title, text) = (l("Backup", "备份"), l("14.2 GB in 3 min", "14.2 GB，用时 3 分"));
            services.gotify.add(nth, json!({"title": title, "message": text, "date": now}));
        }
        let at = now.to_datetime().to_rfc2822();
        let title = l("A week of small releases", "小版本的一周");
        let entry = format!("<item><guid>1</guid><title>{title}</title><pubDate>{at}</pubDate></item>");
        let name =
            l("The weekly newsletter of everyone who builds notification inboxes", "通知收件箱开发者周刊");
        let feed = format!("<rss version=\"2.0\"><channel><title>{name}</title>{entry}</channel></rss>");
        services.feed.put("/week.xml", "content-type: application/rss+xml\r\n", feed);
        services
    }

    /// Adds them to a data folder.
    async fn add_to(&self, data: &Path) {
        let weekly = "The weekly newsletter of everyone who builds notification inboxes";
        for (protocol, name, url, token) in [
            ("ntfy", "Home", self.ntfy.url(), self.ntfy.token()),
            ("gotify", "nas-01", self.gotify.url(), self.gotify.token()),
            ("feed", weekly, self.feed.at("/week.xml"), String::new()),
        ] {
            let data = data.to_owned();
            // The services run in this thread.
            let add = move || {
                let token = if token.is_empty() { vec![] } else { vec!["--token", &token] };
                app::tidings(
                    &data,
                    &[&["source", "add", protocol, &url, "--name", name][..], &token].concat(),
                );
            };
            tokio::task::spawn_blocking(add).await.expect("it is added");
        }
        let data = data.to_owned();
        let finish = move || {
            add_certificates(&data);
            app::tidings(&data, &["pull"])
        };
        tokio::task::spawn_blocking(finish).await.expect("it is pulled");
    }

    /// A list of feeds: one that is here, one that can be added, and others that cannot.
    fn list(&self, folder: &Path) -> PathBuf {
        self.feed.publish(1);
        let outline = |name: &str, url: &str| format!("<outline text=\"{name}\" xmlUrl=\"{url}\"/>");
        let closed = format!("http://127.0.0.1:{}/feed.xml", free_port());
        let all = [
            outline("Daily", &self.feed.at("/feed.xml")),
            outline("Weekly", &self.feed.at("/week.xml")),
            outline("A feed whose server has been away since the spring of last year", &closed),
            outline("Script", "exec:~/bin/news.py"),
        ];
        let file = folder.join("feeds.opml");
        let list = format!("<opml version=\"2.0\"><body>{}</body></opml>", all.concat());
        fs::write(&file, list).expect("the folder is writable");
        file
    }
}

/// Adds an authority for one address and a client certificate for another.
fn add_certificates(data: &Path) {
    let authority = Authority::new("Home CA");
    let client = authority.client("ana@laptop");
    let (trusted, shown) = (data.join("home-ca.pem"), data.join("client.pem"));
    fs::write(&trusted, authority.pem()).expect("the folder is writable");
    fs::write(&shown, client.certificate + &client.key).expect("the folder is writable");
    let (trusted, shown) = (trusted.to_str().expect("a path"), shown.to_str().expect("a path"));
    app::tidings(data, &["certificate", "add", "https://nas-01.home:8443", trusted]);
    app::tidings(data, &["certificate", "add", "https://git.example.com", shown, "--client"]);
}

/// Calls `inspect` for what the window shows of sources, in three sizes, with the view's name.
pub(crate) async fn every_source_view(locale: &Locale, inspect: impl AsyncFn(&Page<'_>, &str)) {
    let services = Services::start(locale.tag == "zh").await;
    let add = async |data: &Path| services.add_to(data).await;
    with_prepared_inbox(locale, add, async |desktop: &Desktop, page: &Page<'_>| {
        page.press_chord(keys::CONTROL, ',').await;
        for (size, width, height) in SIZES {
            resize(desktop, page, width, height).await;
            page.click("[data-settings=notifications]").await;
            page.click("[data-section=noise] button").await;
            page.wait_for("[data-noise]").await;
            scroll_to(page, "[data-section=noise]").await;
            inspect(page, &format!("sources-noise{size}")).await;
            page.click("[data-settings=sources]").await;
            page.wait_for("[data-source]").await;
            inspect(page, &format!("sources{size}")).await;
            network_view(page, size, &inspect).await;
            // A dialog is as large in the largest window as in the next one.
            if size != "-large" {
                add_form_views(page, size, &inspect).await;
            }
            publish_views(page, size, &inspect).await;
        }
        import_views(desktop, page, locale, &services, &inspect).await;
    })
    .await;
}

/// Scrolls so that what `css` selects is at the upper edge of its pane, or as near to it as the pane's end allows.
async fn scroll_to(page: &Page<'_>, css: &str) {
    let scroll = format!(
        "const one = document.querySelector({});
         one.scrollIntoView();
         const {{ top, bottom }} = one.getBoundingClientRect();
         return top < innerHeight && bottom > 0",
        json!(css)
    );
    assert_eq!(page.script(&scroll).await, json!(true), "{css} is in sight");
}

/// The proxy with its form, and the certificates; in a window without room for both, one after the other.
async fn network_view(page: &Page<'_>, size: &str, inspect: &impl AsyncFn(&Page<'_>, &str)) {
    page.click("[data-section=sources-advanced] button").await;
    // The program sends the proxy at the same time as these, and would take back what was chosen before.
    page.wait_for("[data-certificate]").await;
    page.click("[data-testid=proxy] [role=radio]:last-child").await;
    page.wait_for("[data-testid=proxy] form").await;
    scroll_to(page, "[data-section=sources-advanced]").await;
    inspect(page, &format!("sources-network{size}")).await;
    if size != "-large" {
        scroll_to(page, "h3:has(+ [data-testid=certificates])").await;
        inspect(page, &format!("sources-certificates{size}")).await;
    }
}

/// The form that adds a source, for each kind.
async fn add_form_views(page: &Page<'_>, size: &str, inspect: &impl AsyncFn(&Page<'_>, &str)) {
    page.click("[data-add-source]").await;
    page.wait_for(".dialog [data-first]:focus").await;
    let kinds = "return [...document.querySelectorAll('.dialog select option')].map(one => one.value)";
    let kinds = page.script(kinds).await.as_array().cloned().unwrap_or_default();
    assert!(kinds.len() > 5, "{kinds:?}");
    for kind in kinds {
        let choose = format!(
            "const list = document.querySelector('.dialog select');
             list.value = {kind};
             list.dispatchEvent(new Event('change', {{ bubbles: true }}))"
        );
        page.script(&choose).await;
        inspect(page, &format!("sources-add-{}{size}", kind.as_str().unwrap())).await;
    }
    page.press_keys([keys::ESCAPE]).await;
    page.wait_for("body:not(:has(.dialog))").await;
}

/// The form that publishes on a topic, empty and with an error.
async fn publish_views(page: &Page<'_>, size: &str, inspect: &impl AsyncFn(&Page<'_>, &str)) {
    scroll_to(page, ".prefs").await;
    // The command runs by its English name, which the palette knows in each language.
    page.run_command("Publish to a topic").await;
    page.wait_for("[data-publish=title] input:focus").await;
    inspect(page, &format!("publish{size}")).await;
    page.press_keys([keys::ENTER]).await;
    page.wait_for(".dialog .field-error").await;
    inspect(page, &format!("publish-wrong{size}")).await;
    page.press_keys([keys::ESCAPE]).await;
    page.wait_for("body:not(:has(.dialog))").await;
}

/// An import before and after its sources were asked.
async fn import_views(
    desktop: &Desktop,
    page: &Page<'_>,
    locale: &Locale,
    services: &Services,
    inspect: &impl AsyncFn(&Page<'_>, &str),
) {
    let file = services.list(desktop.path());
    page.click("[data-section=other-programs] button").await;
    page.click("[data-import-sources]").await;
    desktop.answer_file_dialog(locale.import, &file).await;
    page.wait_for("[data-import]").await;
    for state in ["", "-done"] {
        if !state.is_empty() {
            // What is on this computer is asked only if its reader chooses it.
            page.script(
                "for (const one of document.querySelectorAll('[data-import] [role=checkbox][aria-checked=false]')) one.click();
                 return null",
            )
            .await;
            page.click(".dialog .btn.primary").await;
            wait::until("all to be asked", || async {
                page.script("return document.querySelector('.import-done').innerText !== ''").await
                    == json!(true)
            })
            .await;
        }
        for (size, width, height) in SIZES {
            resize(desktop, page, width, height).await;
            inspect(page, &format!("sources-import{state}{size}")).await;
        }
    }
    page.press_keys([keys::ESCAPE]).await;
    page.wait_for("body:not(:has(.dialog))").await;
}
