//! The app: its parts, composed. Each part owns what it changes, and is handed the others that it needs; none knows the
//! app.

pub(crate) mod running;

use std::sync::Arc;

use tokio::sync::Notify;

use crate::context::{Context, Parts};
use crate::desktop::desktop_search::DesktopSearch;
use crate::desktop::menu::Menu;
use crate::desktop::other_processes::OtherProcesses;
use crate::desktop::page::PageData;
use crate::desktop::places::Places;
use crate::desktop::requests::Requests;
use crate::desktop::socket_requests::SocketRequests;
use crate::desktop::toast_clicks::ToastClicks;
use crate::desktop::updates::Updates;
use crate::doctor::Doctor;
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
use crate::notify::calendars::Calendars;
use crate::notify::mutes::Mutes;
use crate::notify::noise::NoiseReport;
use crate::notify::outages::OutageToasts;
use crate::notify::rules::Rules;
use crate::notify::silence::Silence;
use crate::notify::test_notification::TestNotifications;
use crate::notify::toasts::Toasts;
use crate::publish::Publishing;
use crate::publish::on_topic::OnTopic;
use crate::saved_files::SavedFiles;
use crate::settings::ReaderSettings;
use crate::settings::background::Background;
use crate::settings::global_shortcut::GlobalKeys;
use crate::settings::newer_version::ReleaseWatch;
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
use crate::state::call_rate::CallRate;
use crate::state::own_server::ServerState;
use crate::state::undo_log::UndoLog;
use crate::storage::Storage;
use crate::storage::backup::Backups;
use crate::storage::reload::Reload;
use crate::storage::repair::Repair;
use crate::storage::retention::Retention;

/// The running app. Cheap to clone.
#[derive(Clone)]
pub struct App {
    pub(crate) context: Arc<Context>,
    // What is read.
    pub(crate) reading: Arc<Reading>,
    pub(crate) searches: Arc<Searches>,
    pub(crate) marks: Arc<Marks>,
    pub(crate) digests: Arc<Digests>,
    pub(crate) absences: Arc<Absences>,
    pub(crate) links: Arc<Links>,
    pub(crate) actions: Arc<Actions>,
    pub(crate) answers: Arc<Answers>,
    pub(crate) attachments: Arc<Attachments>,
    pub(crate) icons: Arc<Icons>,
    // What is written.
    pub(crate) conversations: Arc<Conversations>,
    pub(crate) composer_files: Arc<ComposerFiles>,
    pub(crate) published: Arc<Published>,
    pub(crate) on_topic: Arc<OnTopic>,
    pub(crate) publishing: Arc<Publishing>,
    // What makes a toast, and when.
    pub(crate) toasts: Arc<Toasts>,
    pub(crate) outages: Arc<OutageToasts>,
    pub(crate) silence: Arc<Silence>,
    pub(crate) calendars: Arc<Calendars>,
    pub(crate) rules: Arc<Rules>,
    pub(crate) mutes: Arc<Mutes>,
    pub(crate) noise_report: Arc<NoiseReport>,
    pub(crate) test_notifications: Arc<TestNotifications>,
    // Where notifications come from.
    pub(crate) engine: Arc<RunningEngine>,
    pub(crate) sources: Arc<Sources>,
    pub(crate) source_files: Arc<SourceFiles>,
    pub(crate) sign_ins: Arc<SignIns>,
    pub(crate) tokens: Arc<Tokens>,
    pub(crate) certificates: Arc<Certificates>,
    pub(crate) imports: Arc<Imports>,
    pub(crate) passed_by: Arc<PassedBy>,
    pub(crate) server: Arc<Server>,
    pub(crate) server_state: Arc<ServerState>,
    // What the reader chose.
    pub(crate) settings: Arc<ReaderSettings>,
    pub(crate) settings_transfer: Arc<SettingsTransfer>,
    pub(crate) background: Arc<Background>,
    pub(crate) global_keys: Arc<GlobalKeys>,
    pub(crate) release_watch: Arc<ReleaseWatch>,
    pub(crate) proxy: Arc<ProxySettings>,
    // What is kept on this computer.
    pub(crate) storage: Arc<Storage>,
    pub(crate) retention: Arc<Retention>,
    pub(crate) backups: Arc<Backups>,
    pub(crate) repair: Arc<Repair>,
    pub(crate) doctor: Arc<Doctor>,
    // The desktop and the page.
    pub(crate) call_rate: Arc<CallRate>,
    pub(crate) page: Arc<PageData>,
    pub(crate) updates: Arc<Updates>,
    pub(crate) desktop_search: Arc<DesktopSearch>,
    pub(crate) requests: Arc<Requests>,
    pub(crate) socket_requests: Arc<SocketRequests>,
}

impl App {
    /// Composes the app. Blocks. A notice says if a temporary copy of the inbox stands in for the data folder.
    ///
    /// # Errors
    /// The replica cannot be read.
    pub fn open(parts: Parts) -> Result<Self> {
        let context = Arc::new(Context::open(parts)?);
        // What several parts share.
        let clock_watch = Arc::new(ClockWatch::default());
        let undo_log = Arc::new(UndoLog::default());
        let retention_changed = Arc::new(Notify::new());
        let server_state = Arc::new(ServerState::default());
        let saved_files = Arc::new(SavedFiles::new(&context));
        // Where notifications come from.
        let engine = Arc::new(RunningEngine::new(&context));
        let tokens = Arc::new(Tokens::open(&context, server_state.serves_origin()));
        let certificates = Arc::new(Certificates::new(&context, &engine, &tokens));
        let source_files = Arc::new(SourceFiles::new(&context));
        let probes = Arc::new(Probes::new(&context, &tokens));
        let sign_ins = Arc::new(SignIns::new(&context, &engine, &tokens, &probes));
        let sources = Arc::new(Sources::new(&context, &engine, &tokens, &probes, &sign_ins, &source_files));
        let passed_by = Arc::new(PassedBy::new(&context, &engine));
        let server = Arc::new(Server::new(&context, &saved_files, &engine, &tokens, &server_state));
        let publishing = Arc::new(Publishing::new(&context, &server, &server_state));
        // What makes a toast, and when.
        let toasts = Arc::new(Toasts::open(&context)?);
        let silence = Arc::new(Silence::new(&context, &toasts));
        let calendars = Arc::new(Calendars::new(&context, &toasts, &silence));
        let rules = Arc::new(Rules::new(&context));
        let test_notifications =
            Arc::new(TestNotifications::new(&context, &toasts, &server_state, &publishing));
        // What the reader chose.
        let global_keys = Arc::new(GlobalKeys::new(&context));
        let background = Arc::new(Background::new(&context, &toasts, &global_keys));
        let proxy = Arc::new(ProxySettings::new(&context, &engine, &tokens));
        let release_watch = Arc::new(ReleaseWatch::new(&context));
        let settings = Arc::new(ReaderSettings::new(
            &context,
            &toasts,
            &silence,
            &calendars,
            &background,
            &release_watch,
            &retention_changed,
        ));
        // What is read and written.
        let searches = Arc::new(Searches::new(&context));
        let absences = Arc::new(Absences::new(&context));
        let links = Arc::new(Links::new(&context));
        let actions = Arc::new(Actions::new(&context, &links));
        let answers = Arc::new(Answers::new(&context));
        let composer_files = Arc::new(ComposerFiles::new(&context));
        let conversations = Arc::new(Conversations::new(&context, &engine, &source_files, &composer_files));
        let reading = Arc::new(Reading::new(&context, &engine, &searches, &composer_files));
        // What is kept on this computer.
        let reload = Arc::new(Reload::new(&context, &searches, &undo_log, &silence));
        let backups = Backups::new(&context, &saved_files, &engine, &tokens, &server, &server_state, &reload);
        let retention = Retention::new(&context, &server, &server_state, &clock_watch, &retention_changed);
        let transfer =
            SettingsTransfer::new(&context, &saved_files, &engine, &server, &rules, &settings, &searches);
        // The desktop and the page.
        let places = Arc::new(Places::new(&context, &engine, &silence, &searches, &passed_by));
        let page = PageData::new(&context, &engine, &server_state, &settings, &searches, &reading, &places);
        let clicks =
            ToastClicks::new(&context, &toasts, &links, &actions, &answers, &conversations, &undo_log);
        let clicks = Arc::new(clicks);
        let menu = Arc::new(Menu::new(&context, &links, &silence));
        let requests =
            Requests::new(&context, &clicks, &test_notifications, &silence, &background, &links, &menu);
        let requests = Arc::new(requests);
        let others = OtherProcesses::new(&context, &engine, &toasts, &silence, &proxy, &certificates);
        let others = Arc::new(others);
        Ok(Self {
            marks: Arc::new(Marks::new(&context, &searches, &undo_log, &silence)),
            digests: Arc::new(Digests::new(&context, &absences, &undo_log)),
            attachments: Arc::new(Attachments::new(&context, &saved_files, &tokens)),
            icons: Arc::new(Icons::new(&context)),
            published: Arc::new(Published::new(&context, &engine)),
            on_topic: Arc::new(OnTopic::new(&context, &engine)),
            outages: Arc::new(OutageToasts::new(&context, &toasts)),
            mutes: Arc::new(Mutes::new(&context, &silence)),
            noise_report: Arc::new(NoiseReport::new(&context)),
            imports: Arc::new(Imports::new(&context, &saved_files, &probes, &sources)),
            settings_transfer: Arc::new(transfer),
            storage: Arc::new(Storage::new(&context, &saved_files, &server_state, &clock_watch)),
            retention: Arc::new(retention),
            backups: Arc::new(backups),
            repair: Arc::new(Repair::new(&context, &engine, &reload)),
            doctor: Arc::new(Doctor::new(&context, &engine, &server, &server_state, &clock_watch)),
            desktop_search: Arc::new(DesktopSearch::new(&context, &searches)),
            call_rate: Arc::default(),
            page: Arc::new(page),
            updates: Arc::new(Updates::new(&context, &engine, &toasts, &settings, &places)),
            socket_requests: Arc::new(SocketRequests::new(&context, &engine, &requests, &links, &others)),
            context,
            reading,
            searches,
            absences,
            links,
            actions,
            answers,
            conversations,
            composer_files,
            publishing,
            toasts,
            silence,
            calendars,
            rules,
            test_notifications,
            engine,
            sources,
            source_files,
            sign_ins,
            tokens,
            certificates,
            passed_by,
            server,
            server_state,
            settings,
            background,
            global_keys,
            release_watch,
            proxy,
            requests,
        })
    }
}
