//! A fake desktop that records the app's calls, and an app on it with a real replica.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use serde_json::{Value, json};
use tidings_home::Home;
use tidings_ipc::{IpcEvent, MenuEntry};
use tidings_model::{Clock, Lang, Notification, Stamp};
use tidings_ports::{
    Autostart, Call, CallError, Caller, ContextMenus, Desktop, DesktopOffer, FileDialogs, GivenFile,
    GlobalShortcut, Launcher, Opener, Ports, ShortcutError, Toast, ToastKey, Toasts, Tray, TrayView, Window,
};
use tidings_replica::{Applied, NewSource, Page, SourceId};
use tidings_sync::{EngineEvent, PullReason};
use tidings_testkit::clock::ManualClock;
use tidings_testkit::wait;
use tidings_toasts::quiet::ChronoZone;
use url::Url;

use crate::app::running::forward_changes;
use crate::{App, OpenedFolder, Parts};

#[derive(Default)]
pub(super) struct FakeDesktop {
    pub(super) toasts: Mutex<Vec<Toast>>,
    pub(super) closed: Mutex<Vec<ToastKey>>,
    pub(super) views: Mutex<Vec<TrayView>>,
    pub(super) launcher: Mutex<Vec<(u64, bool)>>,
    pub(super) shown: Mutex<u32>,
    /// How often the window was to keep the focus.
    pub(super) kept_focus: Mutex<u32>,
    /// Whether the window panics the next time it is to be shown.
    pub(super) panics_on_show: Mutex<bool>,
    pub(super) titles: Mutex<Vec<String>>,
    /// Whether the window has the focus.
    pub(super) focused: Mutex<bool>,
    /// How often the window was shown or hidden by the global shortcut.
    pub(super) toggled: Mutex<u32>,
    /// The keys that the app asked for, and those that another program has.
    pub(super) shortcuts: Mutex<Vec<Option<String>>>,
    pub(super) taken: Mutex<Vec<String>>,
    /// Whether the desktop turned out to let no program have such keys.
    pub(super) lacks_shortcuts: Mutex<bool>,
    pub(super) zooms: Mutex<Vec<u16>>,
    /// Where the context menus were shown.
    pub(super) menus: Mutex<Vec<(i32, i32)>>,
    pub(super) opened: Mutex<Vec<String>>,
    pub(super) calls: Mutex<Vec<Call>>,
    pub(super) answer: Mutex<Option<u16>>,
    pub(super) quit: Mutex<bool>,
    /// The paths that the next file dialogs return; a dialog without one is cancelled.
    pub(super) chosen: Mutex<Vec<PathBuf>>,
    /// The files that the next questions for dropped and pasted ones are answered with, the last one first.
    pub(super) given: Mutex<Vec<GivenFile>>,
    /// The file names that the dialogs proposed.
    pub(super) dialog_names: Mutex<Vec<String>>,
    pub(super) folders: Mutex<Vec<PathBuf>>,
    pub(super) free_space: Mutex<Option<u64>>,
    pub(super) offer: Mutex<DesktopOffer>,
}

impl Toasts for FakeDesktop {
    fn show(&self, toast: Toast) {
        self.toasts.lock().unwrap().push(toast);
    }

    fn close(&self, key: ToastKey) {
        self.closed.lock().unwrap().push(key);
    }
}

impl Launcher for FakeDesktop {
    fn show(&self, count: u64, urgent: bool) {
        self.launcher.lock().unwrap().push((count, urgent));
    }
}

impl Tray for FakeDesktop {
    fn show(&self, view: TrayView) {
        self.views.lock().unwrap().push(view);
    }
}

impl Window for FakeDesktop {
    fn show(&self, _token: Option<String>) {
        let panics_on_show = std::mem::take(&mut *self.panics_on_show.lock().unwrap());
        assert!(!panics_on_show, "a fault on purpose");
        *self.shown.lock().unwrap() += 1;
    }

    fn keep_focus(&self) {
        *self.kept_focus.lock().unwrap() += 1;
    }

    fn set_title(&self, title: &str) {
        self.titles.lock().unwrap().push(title.to_owned());
    }

    fn is_focused(&self) -> bool {
        *self.focused.lock().unwrap()
    }

    fn toggle(&self) {
        *self.toggled.lock().unwrap() += 1;
    }

    fn set_zoom(&self, percent: u16) {
        self.zooms.lock().unwrap().push(percent);
    }

    fn quit(&self) {
        *self.quit.lock().unwrap() = true;
    }
}

impl GlobalShortcut for FakeDesktop {
    fn is_supported(&self) -> bool {
        !*self.lacks_shortcuts.lock().unwrap()
    }

    fn set(&self, keys: Option<&str>) -> Result<(), ShortcutError> {
        self.shortcuts.lock().unwrap().push(keys.map(str::to_owned));
        let taken = keys.is_some_and(|keys| self.taken.lock().unwrap().iter().any(|one| one == keys));
        if taken { Err(ShortcutError::Taken) } else { Ok(()) }
    }
}

#[async_trait]
impl Autostart for FakeDesktop {
    fn is_on(&self) -> Option<bool> {
        Some(false)
    }

    async fn set(&self, on: bool) -> Option<bool> {
        Some(on)
    }
}

impl Opener for FakeDesktop {
    fn open(&self, url: &Url) -> bool {
        self.opened.lock().unwrap().push(url.to_string());
        true
    }
}

#[async_trait]
impl Caller for FakeDesktop {
    async fn call(&self, call: Call) -> Result<u16, CallError> {
        self.calls.lock().unwrap().push(call);
        self.answer.lock().unwrap().ok_or(CallError::NoAnswer)
    }
}

#[async_trait]
impl FileDialogs for FakeDesktop {
    async fn save_dialog(&self, _title: &str, name: &str) -> Option<PathBuf> {
        self.dialog_names.lock().unwrap().push(name.to_owned());
        self.chosen.lock().unwrap().pop()
    }

    async fn open_dialog(&self, _title: &str, extension: &str) -> Option<PathBuf> {
        self.dialog_names.lock().unwrap().push(extension.to_owned());
        self.chosen.lock().unwrap().pop()
    }

    async fn choose_dialog(&self, _title: &str) -> Option<PathBuf> {
        self.chosen.lock().unwrap().pop()
    }

    async fn given(&self) -> Option<GivenFile> {
        self.given.lock().unwrap().pop()
    }

    fn show(&self, folder: &Path) -> bool {
        self.folders.lock().unwrap().push(folder.to_owned());
        true
    }

    fn free_space(&self, _folder: &Path) -> Option<u64> {
        *self.free_space.lock().unwrap()
    }
}

#[async_trait]
impl ContextMenus for FakeDesktop {
    async fn popup(&self, _entries: Vec<MenuEntry>, at: (i32, i32)) -> Option<String> {
        self.menus.lock().unwrap().push(at);
        None
    }
}

#[async_trait]
impl Desktop for FakeDesktop {
    async fn offer(&self) -> DesktopOffer {
        self.offer.lock().unwrap().clone()
    }
}

/// An app on a fake desktop.
pub(super) struct TestApp {
    pub(super) app: App,
    pub(super) desktop: Arc<FakeDesktop>,
    pub(super) clock: ManualClock,
    pub(super) folder: tempfile::TempDir,
    pub(super) events: Arc<Mutex<Vec<IpcEvent>>>,
}

pub(super) fn open_at(folder: tempfile::TempDir, lang: Lang) -> TestApp {
    open_when(folder, lang, ManualClock::at(Stamp::from_micros(1_700_000_000_000_000)))
}

pub(super) fn open_when(folder: tempfile::TempDir, lang: Lang, clock: ManualClock) -> TestApp {
    open_with_feed(folder, lang, clock, None)
}

/// An app whose package names a feed of its releases.
pub(super) fn open_with_feed(
    folder: tempfile::TempDir,
    lang: Lang,
    clock: ManualClock,
    release_feed: Option<String>,
) -> TestApp {
    let desktop = Arc::new(FakeDesktop::default());
    let wall: Arc<dyn Clock> = Arc::new(clock.clone());
    let app = App::open(Parts {
        data: OpenedFolder::open(Home::at(folder.path()), &wall).unwrap(),
        clock: wall,
        ports: Ports {
            toasts: Arc::<FakeDesktop>::clone(&desktop),
            launcher: Arc::<FakeDesktop>::clone(&desktop),
            tray: Arc::<FakeDesktop>::clone(&desktop),
            window: Arc::<FakeDesktop>::clone(&desktop),
            autostart: Arc::<FakeDesktop>::clone(&desktop),
            global_shortcut: Arc::<FakeDesktop>::clone(&desktop),
            opener: Arc::<FakeDesktop>::clone(&desktop),
            caller: Arc::<FakeDesktop>::clone(&desktop),
            files: Arc::<FakeDesktop>::clone(&desktop),
            menus: Arc::<FakeDesktop>::clone(&desktop),
            desktop: Arc::<FakeDesktop>::clone(&desktop),
        },
        zone: Arc::new(ChronoZone(chrono::Utc)),
        language: lang.into(),
        time_locale: None,
        font: None,
        version: "1.2.3".into(),
        release_feed,
    })
    .unwrap();
    app.server_state.start_ended();
    TestApp { app, desktop, clock, folder, events: Arc::default() }
}

pub(super) fn open() -> TestApp {
    open_at(tempfile::tempdir().unwrap(), Lang::En)
}

impl TestApp {
    /// Starts all tasks of the app but the sources' engine.
    pub(super) fn running(self) -> Self {
        tokio::spawn(self.app.updates.clone().run_updates());
        let changes = self.app.context.replica.subscribe();
        tokio::spawn(forward_changes(Arc::clone(&self.app.context), changes));
        tokio::spawn(self.app.searches.clone().run_search_counts(self.app.context.replica.subscribe()));
        tokio::spawn(self.app.silence.clone().run_timers());
        self
    }

    /// Connects a page that listens to events, and returns its first state.
    pub(super) async fn with_page(&self) -> tidings_ipc::Bootstrap {
        let events = Arc::clone(&self.events);
        self.app.listen(Box::new(move |event| {
            events.lock().unwrap().push(event);
            true
        }));
        self.app.page.bootstrap().await.unwrap()
    }

    pub(super) fn source(&self, name: &str) -> SourceId {
        let source = NewSource {
            name: name.into(),
            protocol: "tidings".into(),
            url: "http://127.0.0.1:1".into(),
            user: Some("me".into()),
            own: name.is_empty(),
        };
        self.app.context.replica.add_source(source).unwrap()
    }

    /// The stored token of a source.
    pub(super) fn token_of(&self, source: SourceId) -> Option<String> {
        self.app.tokens.store().get(&self.app.context.replica.source(source).unwrap())
    }

    pub(super) fn store_token_of(&self, source: SourceId, token: &str) {
        self.app.tokens.store().set(&self.app.context.replica.source(source).unwrap(), token).unwrap();
    }

    /// Applies a page of a pull and reports it to the app as the engine does.
    pub(super) async fn pulled(
        &self,
        source: SourceId,
        reason: PullReason,
        items: Vec<Notification>,
    ) -> Applied {
        let replica = &self.app.context.replica;
        let last = items.iter().map(|item| item.stamp).max().unwrap_or_default();
        let page = Page { items, next: Some(last.to_string()), epoch: Some("e".into()), ..Page::default() };
        let applied = replica.apply(source, page).unwrap();
        self.app
            .handle_engine_event(EngineEvent::Applied { source, applied: Arc::new(applied.clone()), reason })
            .await;
        applied
    }

    pub(super) async fn caught_up(&self, source: SourceId, reason: PullReason) {
        self.app.handle_engine_event(EngineEvent::CaughtUp { source, reason }).await;
    }

    /// Sets the path that the next file dialog returns.
    pub(super) fn choose_file(&self, path: &Path) {
        self.desktop.chosen.lock().unwrap().push(path.to_owned());
    }

    /// Pulls a publication on a topic of the own server, as from a live hint.
    pub(super) async fn arrive(&self, nth: i64, topic: &str, body: &str) {
        let own = self.app.context.replica.sources().unwrap()[0].id;
        self.pulled(own, PullReason::Live, vec![published(&self.clock, nth, topic, body)]).await;
    }

    pub(super) fn last_toast(&self) -> Toast {
        self.desktop.toasts.lock().unwrap().last().cloned().unwrap()
    }

    pub(super) fn last_view(&self) -> Option<TrayView> {
        self.desktop.views.lock().unwrap().last().cloned()
    }
}

/// A comment on an article, with the fields of `more` in place of the default ones.
pub(super) fn notification(clock: &ManualClock, nth: i64, more: &Value) -> Notification {
    let at = clock.now().plus_micros(nth);
    let mut n = json!({"msgid": format!("m{nth}"), "stamp": at, "version": 1, "kind": "reminder", "created_at": at,
        "thread": "article:42#comment", "actor": {"id": "ana", "name": "Ana"}, "action": "comment",
        "target": {"type": "article", "id": "42", "title": "Rust in 2026", "owner": "me"}, "body": "Agreed."});
    n.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    serde_json::from_value(n).unwrap()
}

/// A publication on a topic.
pub(super) fn published(clock: &ManualClock, nth: i64, topic: &str, body: &str) -> Notification {
    notification(
        clock,
        nth,
        &json!({"thread": format!("topic:{topic}#publish"), "actor": {"id": topic, "name": topic},
            "action": "publish", "target": {"type": "topic", "id": topic}, "title": topic, "body": body}),
    )
}

/// Waits for a condition, with a bound.
pub(super) async fn until(what: &str, mut condition: impl FnMut() -> bool) {
    wait::until(what, || std::future::ready(condition())).await;
}
