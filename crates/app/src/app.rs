//! The app: owns the state of every part (settings, toasts, sources, events) and composes them. Each part's behaviour
//! is in its own module.

use std::path::Path;
use std::sync::Arc;

use tidings_model::{Clock, Language};
use tokio::sync::Notify;

use crate::context::Context;
use crate::desktop::page::Page;
use crate::desktop::places::Places;
use crate::desktop::updates::Updates;
use crate::doctor::app::Doctor;
use crate::error::Result;
use crate::inbox::actions::Actions;
use crate::inbox::answers::Answers;
use crate::inbox::attachments::Attachments;
use crate::inbox::conversations::Conversations;
use crate::inbox::digest::Digests;
use crate::inbox::icons::Icons;
use crate::inbox::links::Links;
use crate::inbox::marks::Marks;
use crate::inbox::presence::Absences;
use crate::inbox::published::Published;
use crate::inbox::search::Searches;
use crate::inbox::staged_files::ComposerFiles;
use crate::inbox::threads::Reading;
use crate::ipc::events::{Events, Sink};
use crate::notify::calendars::Calendars;
use crate::notify::mutes::Mutes;
use crate::notify::noise::NoiseReport;
use crate::notify::outages::OutageToasts;
use crate::notify::rules::Rules;
use crate::notify::silence::Silence;
use crate::notify::test_notification::TestNotifications;
use crate::notify::toasts::Toasts;
use crate::ports::{OwnServer, Ports};
use crate::publish::Publishing;
use crate::publish::on_topic::OnTopic;
use crate::quiet::Zone;
use crate::saved_files::SavedFiles;
use crate::settings::ReaderSettings;
use crate::settings::background::Background;
use crate::settings::global_shortcut::GlobalKeys;
use crate::settings::proxy::ProxySettings;
use crate::settings_file::SettingsTransfer;
use crate::sources::Sources;
use crate::sources::certificates::Certificates;
use crate::sources::engine::RunningEngine;
use crate::sources::files::SourceFiles;
use crate::sources::import::Imports;
use crate::sources::own_server::Server;
use crate::sources::passed_by::PassedBy;
use crate::sources::probe::Probes;
use crate::sources::sign_in::SignIns;
use crate::sources::tokens::Tokens;
use crate::state::age_hold::ClockWatch;
use crate::state::calendars::{CALENDARS_KEY, KnownCalendars};
use crate::state::data_folder::OpenedFolder;
use crate::state::notices::Notices;
use crate::state::own_server::ServerState;
use crate::state::settings::{SETTINGS_KEY, SettingsStore, StoredSettings};
use crate::state::undo_log::UndoLog;
use crate::storage::Storage;
use crate::storage::backup::Backups;
use crate::storage::reload::Reload;
use crate::storage::repair::Repair;
use crate::storage::retention::Retention;

/// The inputs from which [`App::open`] composes the app.
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
    /// The program's version.
    pub version: String,
}

/// The running app. Cheap to clone.
#[derive(Clone)]
pub struct App {
    pub(crate) context: Arc<Context>,
    pub(crate) engine: Arc<RunningEngine>,
    pub(crate) server_state: Arc<ServerState>,
    pub(crate) tokens: Arc<Tokens>,
    pub(crate) server: Arc<Server>,
    pub(crate) source_files: Arc<SourceFiles>,
    pub(crate) certificates: Arc<Certificates>,
    pub(crate) sign_ins: Arc<SignIns>,
    pub(crate) sources: Arc<Sources>,
    pub(crate) imports: Arc<Imports>,
    pub(crate) passed_by: Arc<PassedBy>,
    pub(crate) publishing: Arc<Publishing>,
    pub(crate) on_topic: Arc<OnTopic>,
    pub(crate) doctor: Arc<Doctor>,
    pub(crate) toasts: Arc<Toasts>,
    pub(crate) outages: Arc<OutageToasts>,
    pub(crate) silence: Arc<Silence>,
    pub(crate) calendars: Arc<Calendars>,
    pub(crate) test_notifications: Arc<TestNotifications>,
    pub(crate) rules: Arc<Rules>,
    pub(crate) mutes: Arc<Mutes>,
    pub(crate) noise_report: Arc<NoiseReport>,
    pub(crate) global_keys: Arc<GlobalKeys>,
    pub(crate) background: Arc<Background>,
    pub(crate) proxy: Arc<ProxySettings>,
    pub(crate) settings: Arc<ReaderSettings>,
    pub(crate) links: Arc<Links>,
    pub(crate) actions: Arc<Actions>,
    pub(crate) answers: Arc<Answers>,
    pub(crate) composer_files: Arc<ComposerFiles>,
    pub(crate) conversations: Arc<Conversations>,
    pub(crate) published: Arc<Published>,
    pub(crate) attachments: Arc<Attachments>,
    pub(crate) icons: Arc<Icons>,
    pub(crate) searches: Arc<Searches>,
    pub(crate) marks: Arc<Marks>,
    pub(crate) absences: Arc<Absences>,
    pub(crate) digests: Arc<Digests>,
    pub(crate) reading: Arc<Reading>,
    pub(crate) storage: Arc<Storage>,
    pub(crate) retention: Arc<Retention>,
    pub(crate) backups: Arc<Backups>,
    pub(crate) repair: Arc<Repair>,
    pub(crate) settings_transfer: Arc<SettingsTransfer>,
    pub(crate) updates: Arc<Updates>,
    pub(crate) page: Arc<Page>,
    pub(crate) inner: Arc<Inner>,
}

/// The shared state of the app. Each field is owned by one module, or never changes.
pub(crate) struct Inner {
    pub(crate) undo_log: Arc<UndoLog>,
}

impl App {
    /// Composes the app. Blocks. A notice says if a temporary copy of the inbox stands in for the data folder.
    ///
    /// # Errors
    /// The replica cannot be read.
    pub fn open(parts: Parts) -> Result<Self> {
        let Parts { data, clock, ports, zone, language, time_locale, version } = parts;
        let notices = Notices::default();
        let OpenedFolder { folder: data, replica, degradation } = data;
        if let Some(degradation) = degradation {
            notices.raise(&degradation);
        }
        let settings = StoredSettings::read(replica.setting(SETTINGS_KEY)?);
        let calendars = KnownCalendars::read(replica.setting(CALENDARS_KEY)?);
        ports.window.set_zoom(settings.scale.zoom);
        let context = Arc::new(Context {
            data,
            replica,
            clock,
            zone,
            ports,
            settings: SettingsStore::new(settings, calendars),
            notices,
            events: Events::default(),
            system_language: language,
            time_locale,
            version,
        });
        let clock_watch = Arc::new(ClockWatch::default());
        let undo_log = Arc::new(UndoLog::default());
        let retention_changed = Arc::new(Notify::new());
        let saved_files = Arc::new(SavedFiles::new(&context));
        let engine = Arc::new(RunningEngine::new(&context));
        let server_state = Arc::new(ServerState::default());
        let tokens = Arc::new(Tokens::open(&context, server_state.serves_origin()));
        let server = Arc::new(Server::new(&context, &saved_files, &engine, &tokens, &server_state));
        let source_files = Arc::new(SourceFiles::new(&context));
        let certificates = Arc::new(Certificates::new(&context, &engine, &tokens));
        let probes = Arc::new(Probes::new(&context, &tokens));
        let sign_ins = Arc::new(SignIns::new(&context, &engine, &tokens, &probes));
        let sources = Arc::new(Sources::new(&context, &engine, &tokens, &probes, &sign_ins, &source_files));
        let imports = Arc::new(Imports::new(&context, &saved_files, &probes, &sources));
        let passed_by = Arc::new(PassedBy::new(&context, &engine));
        let publishing = Arc::new(Publishing::new(&context, &server, &server_state));
        let on_topic = Arc::new(OnTopic::new(&context, &engine));
        let doctor = Arc::new(Doctor::new(&context, &engine, &server, &server_state, &clock_watch));
        let toasts = Arc::new(Toasts::open(&context)?);
        let outages = Arc::new(OutageToasts::new(&context, &toasts));
        let silence = Arc::new(Silence::new(&context, &toasts));
        let calendars = Arc::new(Calendars::new(&context, &toasts, &silence));
        let test_notifications =
            Arc::new(TestNotifications::new(&context, &toasts, &server_state, &publishing));
        let rules = Arc::new(Rules::new(&context));
        let mutes = Arc::new(Mutes::new(&context, &silence));
        let noise_report = Arc::new(NoiseReport::new(&context));
        let global_keys = Arc::new(GlobalKeys::new(&context));
        let background = Arc::new(Background::new(&context, &toasts, &global_keys));
        let proxy = Arc::new(ProxySettings::new(&context, &engine, &tokens));
        let settings = Arc::new(ReaderSettings::new(
            &context,
            &toasts,
            &silence,
            &calendars,
            &background,
            &retention_changed,
        ));
        let links = Arc::new(Links::new(&context));
        let actions = Arc::new(Actions::new(&context, &links));
        let answers = Arc::new(Answers::new(&context));
        let composer_files = Arc::new(ComposerFiles::new(&context));
        let conversations = Arc::new(Conversations::new(&context, &engine, &source_files, &composer_files));
        let published = Arc::new(Published::new(&context, &engine));
        let attachments = Arc::new(Attachments::new(&context, &saved_files, &tokens));
        let icons = Arc::new(Icons::new(&context));
        let searches = Arc::new(Searches::new(&context));
        let marks = Arc::new(Marks::new(&context, &searches, &undo_log, &silence));
        let absences = Arc::new(Absences::new(&context));
        let digests = Arc::new(Digests::new(&context, &absences, &undo_log));
        let reading = Arc::new(Reading::new(&context, &engine, &searches, &composer_files));
        let storage = Arc::new(Storage::new(&context, &saved_files, &server_state, &clock_watch));
        let retention =
            Arc::new(Retention::new(&context, &server, &server_state, &clock_watch, &retention_changed));
        let reload = Arc::new(Reload::new(&context, &searches, &undo_log, &silence));
        let backups =
            Arc::new(Backups::new(&context, &saved_files, &engine, &tokens, &server, &server_state, &reload));
        let repair = Arc::new(Repair::new(&context, &engine, &reload));
        let places = Arc::new(Places::new(&context, &engine, &silence, &searches, &passed_by));
        let updates = Arc::new(Updates::new(&context, &engine, &toasts, &settings, &places));
        let page =
            Arc::new(Page::new(&context, &engine, &server_state, &settings, &searches, &reading, &places));
        let settings_transfer = Arc::new(SettingsTransfer::new(
            &context,
            &saved_files,
            &engine,
            &server,
            &rules,
            &settings,
            &searches,
        ));
        let inner = Inner { undo_log };
        Ok(Self {
            context,
            engine,
            server_state,
            tokens,
            server,
            source_files,
            certificates,
            sign_ins,
            sources,
            imports,
            passed_by,
            publishing,
            on_topic,
            doctor,
            toasts,
            outages,
            silence,
            calendars,
            test_notifications,
            rules,
            mutes,
            noise_report,
            global_keys,
            background,
            proxy,
            settings,
            links,
            actions,
            answers,
            composer_files,
            conversations,
            published,
            attachments,
            icons,
            searches,
            marks,
            absences,
            digests,
            reading,
            storage,
            retention,
            backups,
            repair,
            settings_transfer,
            updates,
            page,
            inner: Arc::new(inner),
        })
    }

    /// The folder of this session's files: the data folder, or the temporary folder that stands in for it.
    pub fn folder(&self) -> &Path {
        self.context.data.path()
    }

    /// Registers the page's event sink, in place of the one before.
    pub fn listen(&self, sink: Sink) {
        self.context.events.listen(sink);
    }

    /// Takes the own server's port, so that it is found from the first moment, though it starts after the window. Blocks
    /// for one read of the replica.
    pub fn reserve_port(&self, server: &dyn OwnServer) {
        self.server.reserve_port(server);
    }

    /// Whether the program goes on when its window is closed.
    pub fn keeps_running(&self) -> bool {
        self.background.keeps_running()
    }

    /// Handles that the window was closed and the program goes on: without a tray icon, which would open it again, a toast
    /// says once how to come back.
    pub async fn went_to_background(&self) {
        self.background.went_to_background().await;
    }

    /// Handles that the window was destroyed, and its page with it: acknowledges batched reads and detaches the events.
    pub fn window_closed(&self) {
        self.engine.flush_read_marks(None);
        self.toasts.watch(None);
        self.composer_files.window_closed();
        self.sign_ins.window_closed();
        self.context.events.detach();
    }

    /// Ends the engine after its writes were committed, removes `endpoint.json` and a temporary folder.
    pub async fn shutdown(&self) {
        self.server_state.withdraw_endpoint(&self.context.data.home().endpoint());
        if let Some(engine) = self.engine.get() {
            engine.shutdown().await;
        }
        self.context.data.remove_temporary();
    }
}
