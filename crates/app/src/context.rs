//! What every part of the app is handed: the replica, the clock, the desktop's ports, the settings, the notices, and the
//! changes that the page is told of.

use std::sync::Arc;

use tidings_ipc::NoticeCode;
use tidings_model::{Clock, Lang, Language, Stamp};
use tidings_ports::Ports;
use tidings_replica::Replica;
use tidings_strings::settings::{SettingsStrings, settings_strings};
use tidings_strings::{Strings, strings};
use tidings_toasts::quiet::Zone;
use tokio::sync::Semaphore;

use crate::error::{Error, Result};
use crate::events::Events;
use crate::one_dialog::OneDialog;
use crate::state::data_folder::{DataFolder, OpenedFolder};
use crate::state::notices::{Degradation, Notices};
use crate::state::settings::{SETTINGS_KEY, SettingsStore, StoredSettings};

/// Declares a part of the app: a struct of what it shares with others, and `new`, which is handed that in this order. After
/// a semicolon stands its own state, each field with its first value.
macro_rules! part {
    (
        $(#[$about:meta])*
        $vis:vis struct $part:ident {
            $($(#[$shared_about:meta])* $shared:ident: Arc<$shared_type:ty>),+ $(,)?
            $(; $($(#[$own_about:meta])* $own:ident: $own_type:ty = $first:expr),+ $(,)?)?
        }
    ) => {
        $(#[$about])*
        $vis struct $part {
            $($(#[$shared_about])* $shared: Arc<$shared_type>,)+
            $($($(#[$own_about])* $own: $own_type,)+)?
        }

        impl $part {
            $vis fn new($($shared: &Arc<$shared_type>),+) -> Self {
                Self { $($shared: Arc::clone($shared),)+ $($($own: $first,)+)? }
            }
        }
    };
}
pub(crate) use part;

/// The inputs from which [`crate::App::open`] composes the app.
pub struct Parts {
    /// The data folder with its replica.
    pub data: OpenedFolder,
    /// The wall clock.
    pub clock: Arc<dyn Clock>,
    /// The adapters of the desktop's ports.
    pub ports: Ports,
    /// The desktop's time zone.
    pub zone: Arc<dyn Zone>,
    /// The language of the desktop's locale, used if the reader chose none.
    pub language: Language,
    /// The BCP 47 tag of the locale in which the desktop writes times; none if the desktop names no locale.
    pub time_locale: Option<String>,
    /// The family of the desktop's font for interfaces; none if the desktop names no font of its own.
    pub font: Option<String>,
    /// The program's version.
    pub version: String,
    /// The feed of releases that whoever made the package named; without one nothing is asked, and the reader is told of no
    /// newer version.
    pub release_feed: Option<String>,
}

/// The most threads that work on the replica at once, however much the page asks for; others wait in their order.
pub(crate) const MAX_DISK_JOBS: usize = 64;

/// What all parts share. It knows none of them.
pub(crate) struct Context {
    pub(crate) data: DataFolder,
    pub(crate) replica: Replica,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) zone: Arc<dyn Zone>,
    pub(crate) ports: Ports,
    pub(crate) settings: SettingsStore,
    pub(crate) notices: Notices,
    pub(crate) events: Events,
    /// The language of the desktop's locale.
    pub(crate) system_language: Language,
    /// The BCP 47 tag of the locale in which the desktop writes times; none if the desktop names no locale.
    pub(crate) time_locale: Option<String>,
    /// The family of the desktop's font for interfaces; none if the desktop names no font of its own.
    pub(crate) font: Option<String>,
    /// The program's version.
    pub(crate) version: String,
    /// The feed of its releases; none if the package names none.
    pub(crate) release_feed: Option<String>,
    disk_turns: Arc<Semaphore>,
}

impl Context {
    /// Reads the settings, and shares what the app is given. Blocks. A notice says if a temporary copy of the inbox stands
    /// in for the data folder.
    pub(crate) fn open(parts: Parts) -> Result<Self> {
        let Parts { data, clock, ports, zone, language, time_locale, font, version, release_feed } = parts;
        let ports = Ports { files: Arc::new(OneDialog::of(Arc::clone(&ports.files))), ..ports };
        let notices = Notices::default();
        let OpenedFolder { folder: data, replica, degradation } = data;
        if let Some(degradation) = degradation {
            notices.raise(&degradation);
        }
        let settings = SettingsStore::read(&replica)?;
        ports.window.set_zoom(settings.get().scale.zoom);
        Ok(Self {
            data,
            replica,
            clock,
            zone,
            ports,
            settings,
            notices,
            events: Events::default(),
            system_language: language,
            time_locale,
            font,
            version,
            release_feed,
            disk_turns: Arc::new(Semaphore::new(MAX_DISK_JOBS)),
        })
    }

    /// The interface's language in force: the reader's choice, else the desktop's.
    pub(crate) fn lang(&self) -> Lang {
        self.settings.get().lang.unwrap_or(self.system_language.interface())
    }

    /// The reader's language, in which sentences of catalogs are: the reader's choice, else the desktop's.
    pub(crate) fn language(&self) -> Language {
        self.settings.get().lang.map_or_else(|| self.system_language.clone(), Language::from)
    }

    /// The strings in the reader's language.
    pub(crate) fn strings(&self) -> &'static Strings {
        strings(self.lang())
    }

    /// The strings of the settings in the reader's language.
    pub(crate) fn settings_strings(&self) -> &'static SettingsStrings {
        settings_strings(self.lang())
    }

    /// The time of the clock.
    pub(crate) fn now(&self) -> Stamp {
        self.clock.now()
    }

    /// Runs work on the replica on a thread for blocking work. A disk that is full or fails also raises its notice.
    pub(crate) async fn disk<T, F>(&self, work: F) -> Result<T>
    where
        T: Send + 'static,
        F: FnOnce(&Replica) -> tidings_replica::Result<T> + Send + 'static,
    {
        let replica = self.replica.clone();
        let turn = Arc::clone(&self.disk_turns).acquire_owned().await.map_err(|_| Error::Ending)?;
        let in_turn = move || {
            // It goes on if its caller is gone.
            let _turn = turn;
            work(&replica)
        };
        let done = tokio::task::spawn_blocking(in_turn).await.map_err(|_| Error::Ending)?;
        if done.as_ref().err().is_some_and(tidings_replica::Error::is_full) {
            self.raise(&Degradation::Disk);
        }
        if done.as_ref().err().is_some_and(tidings_replica::Error::is_disk_failure) {
            self.raise(&Degradation::DiskFails);
        }
        if let Some(error) = done.as_ref().err().filter(|error| error.is_corrupt()) {
            tracing::warn!(%error, "the inbox is damaged");
            self.raise(&Degradation::Damaged);
        }
        Ok(done?)
    }

    /// Stores the settings.
    pub(crate) async fn store_settings(&self, settings: &StoredSettings) -> Result<()> {
        let value = serde_json::to_value(settings).unwrap_or_default();
        self.disk(move |replica| replica.set_setting(SETTINGS_KEY, &value)).await
    }

    /// Refuses what needs the data folder, if a temporary one stands in for it.
    pub(crate) fn require_data_folder(&self) -> Result<()> {
        if self.data.is_temporary() {
            Err(Error::storage(self.settings_strings().data_folder_unusable))
        } else {
            Ok(())
        }
    }

    /// Updates the page's view of the sources, and hands on what was done.
    pub(crate) fn with_sync_update(&self, done: Result<()>) -> Result<()> {
        self.events.update(|dirty| dirty.sync = true);
        done
    }

    /// Shows the notice of a degradation.
    pub(crate) fn raise(&self, degradation: &Degradation) {
        if self.notices.raise(degradation) {
            self.events.update(|dirty| dirty.notices = true);
        }
    }

    /// Removes the notice of a degradation that has ended.
    pub(crate) fn clear(&self, code: NoticeCode) {
        if self.notices.clear(code) {
            self.events.update(|dirty| dirty.notices = true);
        }
    }
}
