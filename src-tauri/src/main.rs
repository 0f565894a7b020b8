//! The desktop program: parses the arguments, makes sure that it is the only instance, and runs the app. Started as `tidings`
//! it is the program for the terminal, so that a package has most of the code once.
#![cfg_attr(not(debug_assertions), windows_subsystem = "windows")]

#[cfg(target_os = "linux")]
mod activation;
#[cfg(target_os = "linux")]
mod after_paint;
mod args;
mod autostart;
#[cfg(target_os = "linux")]
mod color_scheme;
mod commands;
#[cfg(target_os = "linux")]
mod desktop_search;
mod dialogs;
mod document;
mod external;
#[cfg(target_os = "linux")]
mod given_files;
mod global_shortcut;
mod host;
#[cfg(target_os = "linux")]
mod key_file;
#[cfg(target_os = "linux")]
mod links;
mod locale;
mod logging;
#[cfg(target_os = "linux")]
mod lost_bus;
mod main_thread;
#[cfg(target_os = "linux")]
mod memory;
mod menus;
mod offer;
mod own_server;
#[cfg(target_os = "linux")]
mod page_process;
mod pictures;
mod placement;
#[cfg(target_os = "linux")]
mod portal;
#[cfg(target_os = "linux")]
mod rendering;
mod single_instance;
mod toasts;
mod tray;
#[cfg(target_os = "linux")]
mod umask;
mod window;

use std::process::ExitCode;

use args::EarlyExit;
use single_instance::Start;
use tidings_home::Home;

/// Threads for asynchronous work; it is light and mostly waits for disk and network.
const WORKER_THREADS: usize = 2;
/// The most threads for blocking work; idle ones end.
const MAX_BLOCKING_THREADS: usize = 8;
/// The heaps that all threads share.
const HEAP_COUNT: u8 = 2;

fn main() -> ExitCode {
    tidings_sandbox::enter_if_child(&[tidings_sources::parsers(), tidings_server::parsers()].concat());
    if args::is_for_terminal(std::env::args_os().next().as_deref()) {
        return tidings_cli::run();
    }
    #[cfg(target_os = "linux")]
    umask::make_private();
    tidings_server::forbid_core_dumps();
    tidings_server::share_heaps(HEAP_COUNT);
    let args = match args::parse(std::env::args().skip(1)) {
        Ok(args) => args,
        Err(EarlyExit::Print(text)) => {
            println!("{text}");
            return ExitCode::SUCCESS;
        }
        Err(EarlyExit::UsageError(text)) => {
            eprintln!("{text}");
            return ExitCode::from(2);
        }
    };
    let home = Home::find();
    let _instance_lock = match single_instance::acquire(&home, &args) {
        Start::First(lock) => lock,
        Start::HandedOver => return ExitCode::SUCCESS,
        Start::Refused(why) => {
            eprintln!("tidings-desktop: {why}");
            return ExitCode::FAILURE;
        }
        Start::Unresponsive => {
            eprintln!("tidings-desktop: Tidings runs already and does not answer");
            return ExitCode::FAILURE;
        }
    };
    #[cfg(target_os = "linux")]
    rendering::choose_compositing();
    #[cfg(target_os = "linux")]
    if !rendering::has_display() {
        eprintln!("tidings-desktop: There is no display to open a window on. In a terminal, use `tidings`.");
        return ExitCode::FAILURE;
    }
    logging::start(&home.logs());
    if let Err(error) = tidings_sandbox::marks::keep_in(home.dir(), env!("CARGO_PKG_VERSION")) {
        tracing::warn!(%error, "what is read can't be marked");
    }
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(WORKER_THREADS)
        .max_blocking_threads(MAX_BLOCKING_THREADS)
        .enable_all()
        .build();
    let done = match runtime {
        Ok(runtime) => host::run(&runtime, home, args),
        Err(error) => Err(error.into()),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            tracing::error!(%error, "Tidings cannot run");
            ExitCode::FAILURE
        }
    }
}
