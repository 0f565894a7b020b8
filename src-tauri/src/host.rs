//! Runs the app on the toolkit: composes the adapters, opens the window, and shuts down in order.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use tauri::{AppHandle, Manager, RunEvent, WindowEvent};
use tidings_app::{App, OpenedFolder, Parts, StartConfig};
use tidings_home::Home;
use tidings_model::{Clock, SystemClock};
use tidings_net::supervise;
use tidings_ports::{DesktopRequest, OwnServer, Ports, Window};
use tidings_sync::{BackoffConfig, wake};
use tokio::runtime::Runtime;
use tokio::sync::mpsc;
use tokio::task::AbortHandle;

#[cfg(target_os = "linux")]
use crate::after_paint::AfterPaint;
use crate::args::Args;
use crate::autostart::SystemAutostart;
use crate::dialogs::Dialogs;
use crate::external::{Http, Programs};
#[cfg(target_os = "linux")]
use crate::global_shortcut;
#[cfg(not(target_os = "linux"))]
use crate::global_shortcut::GlobalKeys;
use crate::locale;
use crate::menus::Menus;
use crate::offer::SystemDesktop;
use crate::own_server::Embedded;
use crate::single_instance;
use crate::toasts::NativeToasts;
use crate::tray::TrayIcon;
use crate::window::{LABEL, MainWindow, save_state};

type Failure = Box<dyn std::error::Error + Send + Sync>;

/// The longest duration of the shutdown; after it the process exits regardless.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(8);

/// The feed of releases that the environment of the build named; without one nobody is told of a newer version.
const RELEASE_FEED: Option<&str> = option_env!("TIDINGS_RELEASE_FEED");

/// Runs the program until it is ended.
pub(crate) fn run(runtime: &Runtime, home: Home, args: Args) -> Result<(), Failure> {
    let _runtime = runtime.enter();
    tauri::async_runtime::set(runtime.handle().clone());
    // It keeps the state; `placement` restores it.
    let state = tauri_plugin_window_state::Builder::new()
        .with_state_flags(crate::window::SAVED_STATE)
        .with_filename(window_state(&home).to_string_lossy())
        .skip_initial_state(LABEL)
        .build();
    let clock: Arc<dyn Clock> = Arc::new(SystemClock);
    let data = open_beside(&home, &clock)?;
    let server = Arc::new(Embedded::new(home.clone(), Arc::clone(&clock)));
    let embedded = Arc::clone(&server);
    let handle = runtime.handle().clone();
    let builder = tauri::Builder::default().plugin(state);
    #[cfg(not(target_os = "linux"))]
    let builder = builder
        .plugin(tauri_plugin_global_shortcut::Builder::new().build())
        .plugin(tauri_plugin_autostart::Builder::new().args(["--background"]).app_name("Tidings").build());
    #[cfg(not(unix))]
    let builder = builder.plugin(tauri_plugin_single_instance::init(|handle, argv, _| {
        if let (Some(app), Some(request)) = (handle.try_state::<App>(), single_instance::request_of(argv)) {
            let app = app.inner().clone();
            supervise::once("a second start", async move { drop(app.answer(request).await) });
        }
    }));
    let tauri = builder
        .invoke_handler(tauri::generate_handler![crate::commands::call])
        .setup(move |tauri| {
            set_up(tauri.handle(), &home, data, clock, server, &args)
                .map_err(|error| -> Box<dyn std::error::Error> { error })
        })
        .build(tauri::generate_context!())?;
    let ended = AtomicBool::new(false);
    tauri.run(move |tauri, event| match event {
        RunEvent::WindowEvent { label, event: WindowEvent::CloseRequested { .. }, .. } if label == LABEL => {
            handle_close_requested(tauri);
        }
        RunEvent::WindowEvent { label, event: WindowEvent::Focused(false), .. } if label == LABEL => {
            if let Some(window) = tauri.try_state::<Arc<MainWindow>>() {
                window.focus_lost();
            }
        }
        RunEvent::WindowEvent { label, event: WindowEvent::Destroyed, .. } if label == LABEL => {
            handle_destroyed(tauri);
        }
        // The last window was closed: the program goes on in the tray.
        RunEvent::ExitRequested { code: None, api, .. } => api.prevent_exit(),
        RunEvent::Exit if !ended.swap(true, Ordering::Relaxed) => {
            let app = tauri.try_state::<App>().map(|app| app.inner().clone());
            if let Some(doors) = tauri.try_state::<Doors>() {
                doors.0.iter().for_each(AbortHandle::abort);
            }
            let toasts = tauri.try_state::<Arc<NativeToasts>>().map(|toasts| Arc::clone(toasts.inner()));
            handle.block_on(shut_down(app, toasts, embedded.as_ref()));
        }
        _ => {}
    });
    Ok(())
}

/// The file with the window's state.
fn window_state(home: &Home) -> PathBuf {
    home.dir().join("window.json")
}

/// A thread that opens the data folder.
type Opening = JoinHandle<tidings_app::Result<OpenedFolder>>;

/// Opens the data folder while the toolkit starts, which takes longer.
fn open_beside(home: &Home, clock: &Arc<dyn Clock>) -> std::io::Result<Opening> {
    let (home, clock) = (home.clone(), Arc::clone(clock));
    thread::Builder::new().name("data-folder".to_owned()).spawn(move || OpenedFolder::open(home, &clock))
}

fn set_up(
    tauri: &AppHandle,
    home: &Home,
    data: Opening,
    clock: Arc<dyn Clock>,
    server: Arc<Embedded>,
    args: &Args,
) -> Result<(), Failure> {
    #[cfg(target_os = "linux")]
    {
        crate::lost_bus::outlive();
        crate::color_scheme::follow();
    }
    let (requests, request_receiver) = mpsc::unbounded_channel();
    let window = Arc::new(MainWindow::new(tauri.clone(), window_state(home)));
    #[cfg(target_os = "linux")]
    let (painted, waits) = AfterPaint::new();
    #[cfg(target_os = "linux")]
    let toasts = Arc::new(NativeToasts::new(waits.clone(), requests.clone()));
    #[cfg(not(target_os = "linux"))]
    let toasts = Arc::new(NativeToasts::new(tauri.clone(), requests.clone()));
    let ports = Ports {
        toasts: Arc::<NativeToasts>::clone(&toasts),
        launcher: Arc::<NativeToasts>::clone(&toasts),
        #[cfg(target_os = "linux")]
        tray: Arc::new(TrayIcon::new(waits.clone(), requests.clone())),
        #[cfg(not(target_os = "linux"))]
        tray: Arc::new(TrayIcon::new(tauri.clone(), requests.clone())),
        window: Arc::<MainWindow>::clone(&window),
        #[cfg(target_os = "linux")]
        autostart: Arc::new(SystemAutostart),
        #[cfg(not(target_os = "linux"))]
        autostart: Arc::new(SystemAutostart(tauri.clone())),
        #[cfg(target_os = "linux")]
        global_shortcut: global_shortcut::of_display(waits.clone(), requests.clone()),
        #[cfg(not(target_os = "linux"))]
        global_shortcut: Arc::new(GlobalKeys::new(tauri.clone(), requests.clone())),
        opener: Arc::new(Programs),
        caller: Arc::new(Http),
        files: Arc::new(Dialogs(tauri.clone())),
        menus: Arc::new(Menus { handle: tauri.clone(), window: LABEL }),
        desktop: Arc::new(SystemDesktop),
    };
    let app = App::open(Parts {
        data: data.join().map_err(|_| "the data folder could not be opened")??,
        clock: Arc::clone(&clock),
        ports,
        zone: Arc::new(tidings_toasts::quiet::system()),
        language: locale::language(),
        time_locale: locale::time_locale(),
        #[cfg(target_os = "linux")]
        font: crate::rendering::interface_font(),
        #[cfg(not(target_os = "linux"))]
        font: None,
        version: env!("CARGO_PKG_VERSION").to_owned(),
        release_feed: RELEASE_FEED.filter(|feed| !feed.is_empty()).map(str::to_owned),
    })?;
    // The port is reserved before the window is built, which takes the time of the start for itself.
    app.reserve_port(server.as_ref());
    window.set_files_folder(app.folder());
    tauri.manage(Arc::clone(&window));
    tauri.manage(toasts);
    tauri.manage(app.clone());
    if let Some(link) = &args.link {
        let _ = requests.send(DesktopRequest::Link { link: link.clone(), token: None });
    } else if !args.without_window() {
        window.show(None);
    }
    if let Some(action) = args.action {
        let _ = requests.send(DesktopRequest::Menu(action));
    }
    let background = args.without_window() && args.link.is_none();
    // The bus asks for the window only after the start.
    let waits_for_paint = !background || args.by_bus;
    let server: Option<Arc<dyn OwnServer>> = Some(server);
    let wakes = wake::system(clock);
    #[cfg(target_os = "linux")]
    let links_home = home.clone();
    let doors = single_instance::listen(&app, home).into_iter();
    // A bus that started the program waits for its name.
    #[cfg(target_os = "linux")]
    let waits = if args.by_bus { AfterPaint::at_once() } else { waits };
    #[cfg(target_os = "linux")]
    let doors = doors.chain([crate::activation::spawn(waits, requests, app.clone())]);
    tauri.manage(Doors(doors.collect()));
    app.spawn_request_handler(request_receiver);
    #[cfg(target_os = "linux")]
    let started = tauri.clone();
    let ended = tauri.clone();
    supervise::keep("the signal to end", move || end_on_signal(ended.clone()));
    #[cfg(target_os = "linux")]
    supervise::keep("giving memory back", tidings_server::trim_heaps_periodically);
    supervise::once("the start", async move {
        if waits_for_paint {
            app.wait_for_first_paint().await;
        }
        #[cfg(target_os = "linux")]
        {
            painted.send_replace(true);
            supervise::once_blocking("registering links", move || crate::links::register(&links_home));
        }
        app.start(StartConfig { server, wakes, backoff: BackoffConfig::default() }).await;
        #[cfg(target_os = "linux")]
        if background {
            crate::memory::release_without_window(started).await;
        }
    });
    Ok(())
}

/// The tasks that take what other processes ask. They end first, so that what is asked later waits for the next start.
struct Doors(Vec<AbortHandle>);

/// Handles that the window is about to close: the program goes on without it, unless the settings say otherwise.
fn handle_close_requested(tauri: &AppHandle) {
    save_state(tauri);
    let Some(app) = tauri.try_state::<App>().map(|app| app.inner().clone()) else { return };
    if app.keeps_running() {
        supervise::once("telling how to come back", async move { app.went_to_background().await });
    } else {
        tauri.exit(0);
    }
}

fn handle_destroyed(tauri: &AppHandle) {
    if let Some(app) = tauri.try_state::<App>() {
        app.window_closed();
    }
    #[cfg(target_os = "linux")]
    supervise::once("letting go of a window", crate::memory::release_without_window(tauri.clone()));
}

async fn shut_down(app: Option<App>, toasts: Option<Arc<NativeToasts>>, server: &Embedded) {
    let all = async {
        if let Some(toasts) = toasts {
            toasts.end().await;
        }
        if let Some(app) = app {
            app.shutdown().await;
        }
        server.stop().await;
    };
    if tokio::time::timeout(SHUTDOWN_TIMEOUT, all).await.is_err() {
        tracing::warn!("the end took too long");
    }
}

#[cfg(unix)]
async fn end_on_signal(tauri: AppHandle) {
    use tokio::signal::unix::{SignalKind, signal};
    let (Ok(mut term), Ok(mut int)) = (signal(SignalKind::terminate()), signal(SignalKind::interrupt()))
    else {
        return;
    };
    tokio::select! {
        _ = term.recv() => {}
        _ = int.recv() => {}
    }
    let main = tauri.clone();
    let _ = tauri.run_on_main_thread(move || {
        save_state(&main);
        main.exit(0);
    });
}

#[cfg(not(unix))]
async fn end_on_signal(tauri: AppHandle) {
    if tokio::signal::ctrl_c().await.is_ok() {
        tauri.exit(0);
    }
}
