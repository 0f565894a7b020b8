//! The log, on standard error and in one file a day; also logs panics. Tokens and bodies are never logged: what others' code
//! says in detail, such as messages of the session bus, is left out.

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
    tidings_server::log_panics();
}

/// What the log has.
fn filter() -> EnvFilter {
    let asked = std::env::var("TIDINGS_LOG").unwrap_or_else(|_| "info,zbus=warn,tracing=warn".to_owned());
    EnvFilter::new(tidings_app::log::directives(&asked))
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    /// Names the folder of a part that runs as a process of its own.
    const FOLDER: &str = "TIDINGS_TEST_FOLDER";
    /// Names what nobody may read.
    const SECRET: &str = "TIDINGS_TEST_SECRET";

    #[test]
    #[ignore = "a part of a_panic_is_logged_by_its_place_and_without_the_values_in_its_message"]
    fn the_part_that_panics() {
        let (Some(folder), Ok(secret)) = (std::env::var_os(FOLDER), std::env::var(SECRET)) else { return };
        start(Path::new(&folder));
        let with_a_value = std::thread::spawn(move || panic!("the token {secret} is odd"));
        assert!(with_a_value.join().is_err());
        let with_a_literal = std::thread::spawn(|| panic!("a fault on purpose"));
        assert!(with_a_literal.join().is_err());
    }

    #[test]
    fn a_panic_is_logged_by_its_place_and_without_the_values_in_its_message() {
        let (folder, secret) = (tempfile::tempdir().unwrap(), "tdg_in-a-panic");
        let mut part = Command::new(std::env::current_exe().unwrap());
        part.args(["--exact", "logging::tests::the_part_that_panics", "--ignored", "--nocapture"]);
        part.env(FOLDER, folder.path()).env(SECRET, secret).env("TIDINGS_LOG", "trace");
        part.env_remove("RUST_BACKTRACE").env_remove("RUST_LIB_BACKTRACE");
        let done = part.output().unwrap();
        let printed = String::from_utf8_lossy(&[done.stdout, done.stderr].concat()).into_owned();
        assert!(done.status.success(), "{printed}");
        let files = std::fs::read_dir(folder.path()).unwrap().map(|file| file.unwrap().path());
        let logged: String = files.map(|file| std::fs::read_to_string(file).unwrap()).collect();
        for text in [printed, logged] {
            assert!(!text.contains(secret), "{text}");
            assert!(text.contains("a fault on purpose"), "{text}");
            assert_eq!(text.matches("logging.rs:").count(), 2, "{text}");
        }
    }
}
