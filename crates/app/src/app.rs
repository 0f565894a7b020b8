//! The app itself: what it holds, how it starts and what it does between two clicks. Refuses to block whoever asks:
//! work on the disk runs beside.

mod render_contexts;
mod stand_in;
mod undo_log;

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use tidings_model::{Clock, Lang, Stamp};
use tidings_replica::Replica;
use tidings_sync::{Engine, Keys, States, Trouble, Vault};
use tokio::sync::{Notify, watch};

use self::stand_in::folder_degradation;
use self::undo_log::UndoLog;
use crate::commands::attachments::{Fetching, FileKey};
use crate::commands::compose::PendingGroup;
use crate::error::{Error, Result};
use crate::events::Events;
use crate::home::{Endpoint, Home};
use crate::ipc::NoticeCode;
use crate::notices::{Degradation, Notices};
use crate::policy::badge::TrayView;
use crate::policy::quiet::Zone;
use crate::policy::toast::ToastPolicy;
use crate::ports::Ports;
use crate::settings::{KEY, StoredSettings};
use crate::standalone::OwnServer;

pub(crate) use self::render_contexts::RenderContexts;
pub(crate) use self::stand_in::stand_in;

/// What the app is made of.
pub struct Parts {
    /// The data folder.
    pub home: Home,
    /// The wall clock.
    pub clock: Arc<dyn Clock>,
    /// The desktop.
    pub ports: Ports,
    /// The desktop's time zone.
    pub zone: Arc<dyn Zone>,
    /// The desktop's language.
    pub lang: Lang,
    /// The BCP 47 tag of those who write times as the desktop does; none where it does not say.
    pub time_locale: Option<String>,
    /// The program's version.
    pub version: String,
}

/// The running app. Cheap to clone.
#[derive(Clone)]
pub struct App {
    pub(crate) inner: Arc<Inner>,
}

pub(crate) struct Inner {
    pub(crate) home: Home,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) ports: Ports,
    pub(crate) zone: Arc<dyn Zone>,
    pub(crate) system_lang: Lang,
    pub(crate) time_locale: Option<String>,
    pub(crate) version: String,
    pub(crate) replica: Replica,
    /// Which token a source may have.
    pub(crate) keys: Keys,
    /// What this session wrote to `endpoint.json`.
    pub(crate) endpoint: Mutex<Option<Endpoint>>,
    pub(crate) events: Events,
    pub(crate) engine: OnceLock<Engine>,
    pub(crate) kept: Mutex<StoredSettings>,
    pub(crate) notices: Mutex<Notices>,
    pub(crate) toast_policy: Mutex<ToastPolicy>,
    pub(crate) publishing: watch::Sender<Publishing>,
    pub(crate) tray: Mutex<Option<TrayView>>,
    /// The number on the launcher, and whether it asks for a look.
    pub(crate) launcher: Mutex<Option<(u64, bool)>>,
    /// Unread threads of the kept searches, as counted last.
    pub(crate) search_counts: Mutex<HashMap<i64, u64>>,
    /// The kept searches are to be counted.
    pub(crate) recount: Notify,
    /// The own server; none where the app runs without one.
    pub(crate) own: OnceLock<Arc<dyn OwnServer>>,
    /// Why the own server does not run, in words.
    pub(crate) server_trouble: Mutex<Option<String>>,
    /// Something was put to sleep or paused: the next moment may be another.
    pub(crate) timers_changed: Notify,
    /// Files on their way.
    pub(crate) fetching: Mutex<HashMap<FileKey, Fetching>>,
    /// What is kept for how long was changed.
    pub(crate) retention_changed: Notify,
    /// A group that was asked for and may not be there yet.
    pub(crate) pending_group: Mutex<Option<PendingGroup>>,
    undo_log: Mutex<UndoLog>,
    next_undo_id: AtomicU64,
    /// A folder that stands in where the data folder cannot be written; gone with the app.
    stand_in: Mutex<Option<tempfile::TempDir>>,
    /// Where this session's files are.
    folder: PathBuf,
}

impl App {
    /// Opens the replica. Where the data folder cannot be written, or the replica cannot be opened, a copy in a
    /// temporary folder stands in, so that what is here can be read, and a notice says so. Blocks.
    pub fn open(parts: Parts) -> Result<Self> {
        let Parts { home, clock, ports, zone, lang, time_locale, version } = parts;
        let mut notices = Notices::default();
        let (replica, stand_in) = match home.prepare() {
            Err(error) => {
                notices.raise(&folder_degradation(&error, &home));
                stand_in(Some(home.dir()), &clock)?
            }
            Ok(()) => match Replica::open(home.dir(), Arc::clone(&clock)) {
                Ok(replica) => (replica, None),
                Err(error) if error.is_full() => {
                    notices.raise(&Degradation::Disk);
                    stand_in(Some(home.dir()), &clock)?
                }
                Err(error) if error.is_read_only() => {
                    notices.raise(&Degradation::Folder(home.dir().to_owned()));
                    stand_in(Some(home.dir()), &clock)?
                }
                Err(error) => {
                    notices.raise(&Degradation::Replica(error.to_string()));
                    stand_in(None, &clock)?
                }
            },
        };
        let kept = StoredSettings::read(replica.setting(KEY)?);
        let mut toast_policy = ToastPolicy::new(clock.now());
        toast_policy.restore_deferred(replica.deferred_toasts()?, kept.notify.sound);
        // Stories never touch the keyring of whoever runs them.
        let vault = if cfg!(test) { Vault::without_keyring(home.dir()) } else { Vault::new(home.dir()) };
        let publishing = watch::Sender::new(Publishing::Starting);
        let now = publishing.subscribe();
        let keys = Keys::new(vault, move |at| now.borrow().is_at(at));
        let folder = stand_in.as_ref().map_or(home.dir(), tempfile::TempDir::path).to_owned();
        let inner = Inner {
            home,
            clock,
            ports,
            zone,
            system_lang: lang,
            time_locale,
            version,
            replica,
            keys,
            endpoint: Mutex::default(),
            events: Events::default(),
            engine: OnceLock::new(),
            kept: Mutex::new(kept),
            notices: Mutex::new(notices),
            toast_policy: Mutex::new(toast_policy),
            publishing,
            tray: Mutex::default(),
            launcher: Mutex::default(),
            search_counts: Mutex::default(),
            recount: Notify::new(),
            own: OnceLock::new(),
            server_trouble: Mutex::default(),
            timers_changed: Notify::new(),
            fetching: Mutex::default(),
            retention_changed: Notify::new(),
            pending_group: Mutex::default(),
            undo_log: Mutex::default(),
            next_undo_id: AtomicU64::new(1),
            stand_in: Mutex::new(stand_in),
            folder,
        };
        Ok(Self { inner: Arc::new(inner) })
    }

    /// Whether nothing that arrives can be kept beyond this session.
    pub fn is_stand_in(&self) -> bool {
        self.inner.folder != self.inner.home.dir()
    }

    /// Where this session's files are: the data folder, or what stands in for it.
    pub fn folder(&self) -> &Path {
        &self.inner.folder
    }

    /// The language in force.
    pub fn lang(&self) -> Lang {
        lock(&self.inner.kept).lang.unwrap_or(self.inner.system_lang)
    }

    /// Something does not work.
    pub fn raise(&self, degradation: &Degradation) {
        if lock(&self.inner.notices).raise(degradation) {
            self.inner.events.note(|dirty| dirty.notices = true);
        }
    }

    /// Something works (again).
    pub fn clear(&self, code: NoticeCode) {
        if lock(&self.inner.notices).clear(code) {
            self.inner.events.note(|dirty| dirty.notices = true);
        }
    }

    /// Closing the window must end the program: there is no tray icon to come back by.
    pub fn close_quits(&self) -> bool {
        lock(&self.inner.notices).has(NoticeCode::NoTray)
    }

    /// The page is gone with its window.
    pub fn window_closed(&self) {
        self.leave(None);
        self.inner.events.detach();
    }

    /// Ends the engine; what is being written is written. A folder that stood in is taken away.
    pub async fn shutdown(&self) {
        self.withdraw_endpoint();
        if let Some(engine) = self.inner.engine.get() {
            engine.shutdown().await;
        }
        lock(&self.inner.stand_in).take();
    }

    /// Runs work on the replica beside.
    pub(crate) async fn disk<T, F>(&self, work: F) -> Result<T>
    where
        T: Send + 'static,
        F: FnOnce(&Replica) -> tidings_replica::Result<T> + Send + 'static,
    {
        let replica = self.inner.replica.clone();
        let done = tokio::task::spawn_blocking(move || work(&replica)).await.map_err(|_| Error::Ending)?;
        self.watch_disk(done.as_ref().err());
        Ok(done?)
    }

    /// A full disk is said for as long as it is true.
    fn watch_disk(&self, error: Option<&tidings_replica::Error>) {
        if error.is_some_and(tidings_replica::Error::is_full) {
            self.raise(&Degradation::Disk);
        }
    }

    pub(crate) fn now(&self) -> Stamp {
        self.inner.clock.now()
    }

    pub(crate) fn states(&self) -> States {
        self.inner.engine.get().map(|engine| engine.states().borrow().clone()).unwrap_or_default()
    }

    /// Notices that follow from how the sources are doing.
    pub(crate) fn watch_states(&self, states: &States) {
        let troubled = |trouble: Trouble| {
            states
                .values()
                .any(|s| matches!(s, tidings_sync::State::Retrying { trouble: t, .. } if *t == trouble))
        };
        if self.is_stand_in() {
            return;
        }
        if troubled(Trouble::DiskFull) {
            self.raise(&Degradation::Disk);
        } else {
            self.clear(NoticeCode::DiskFull);
        }
        if troubled(Trouble::ReadOnly) {
            self.raise(&Degradation::Folder(self.inner.home.dir().to_owned()));
        } else {
            self.clear(NoticeCode::ReadOnly);
        }
    }
}

/// Where programs on this computer publish to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Publishing {
    /// The own server is starting.
    Starting,
    /// It does not run.
    Nowhere,
    /// Its address.
    At(String),
}

impl Publishing {
    /// Whether the own server answers at the origin of an address.
    fn is_at(&self, at: &url::Url) -> bool {
        let Self::At(url) = self else { return false };
        url.parse::<url::Url>().is_ok_and(|url| url.origin() == at.origin())
    }
}

pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
