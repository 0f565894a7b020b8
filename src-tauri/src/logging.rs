//! The log, on standard error and in one file a day; also logs panics. Tokens and bodies are never logged: what others' code
//! says in detail, such as messages of the session bus, is left out.

use std::panic;
use std::path::Path;

use tidings_sqlite::create_private_folder;
use tracing_appender::rolling::{RollingFileAppender, Rotation};
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;
use tracing_subscriber::{EnvFilter, Layer as _, fmt};

/// The number of daily log files that are kept.
const MAX_LOG_FILES: usize = 7;

/// Starts the log in a folder for its owner alone; if that cannot be written, it is on standard error only.
/// `TIDINGS_LOG` sets the filter, for example `info,tidings_sync=debug`.
pub(crate) fn start(folder: &Path) {
    // Building the file's appender needs the folder; without it there is no file.
    let has_folder = create_private_folder(folder).is_ok();
    let builder = RollingFileAppender::builder()
        .rotation(Rotation::DAILY)
        .filename_prefix("tidings-desktop")
        .filename_suffix("log")
        .max_log_files(MAX_LOG_FILES);
    let file = has_folder.then(|| builder.build(folder).ok()).flatten();
    let file = file.map(|file| fmt::layer().with_ansi(false).with_writer(file).with_filter(filter()));
    let terminal = fmt::layer().with_ansi(false).with_writer(std::io::stderr).with_filter(filter());
    // Fails only when called a second time.
    let _ = tracing_subscriber::registry().with(terminal).with(file).try_init();
    let previous_hook = panic::take_hook();
    panic::set_hook(Box::new(move |panicked| {
        let at = panicked.location().map(ToString::to_string).unwrap_or_default();
        tracing::error!(at, "a part of the program failed: {}", panic_message(panicked));
        previous_hook(panicked);
    }));
}

/// What the log has.
fn filter() -> EnvFilter {
    let asked = std::env::var("TIDINGS_LOG").unwrap_or_else(|_| "info,zbus=warn,tracing=warn".to_owned());
    EnvFilter::new(tidings_app::log::directives(&asked))
}

fn panic_message<'a>(panicked: &'a panic::PanicHookInfo<'_>) -> &'a str {
    let payload = panicked.payload();
    payload
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| payload.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("no message")
}
