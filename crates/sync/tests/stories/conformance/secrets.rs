//! Looks for a token in everything that the program writes.

use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex, Once, PoisonError};

use data_encoding::{BASE64, BASE64URL_NOPAD};
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{fmt, registry};

/// All log lines of this process, of every level and library but [`OF_NO_SECRET`].
static LOGS: Mutex<Vec<u8>> = Mutex::new(Vec::new());

/// The parser of HTML: it gets what a service answered and nothing that is sent to it, and has several lines for each
/// letter.
const OF_NO_SECRET: &str = "html5ever";

/// Records all log lines from now on.
pub fn record_logs() {
    static RECORD: Once = Once::new();
    RECORD.call_once(|| {
        let all = Targets::new().with_default(LevelFilter::TRACE).with_target(OF_NO_SECRET, LevelFilter::OFF);
        registry().with(all).with(fmt::layer().with_ansi(false).with_writer(Arc::new(Log))).init();
    });
}

struct Log;

impl io::Write for &Log {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        LOGS.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The forms in which a token may be written: as it is, the password in it, and both as Basic credentials have them.
fn forms(token: &str) -> Vec<String> {
    let password = token.split_once(':').map(|(_, password)| password);
    let plain: Vec<&str> =
        [Some(token), password].into_iter().flatten().filter(|text| !text.is_empty()).collect();
    let with_user = format!(":{token}");
    let encoded = plain
        .iter()
        .copied()
        .chain([&*with_user])
        .flat_map(|text| [BASE64.encode(text.as_bytes()), BASE64URL_NOPAD.encode(text.as_bytes())]);
    plain.iter().map(|text| (*text).to_owned()).chain(encoded).collect()
}

/// Asserts that a token is in no log line, none of these errors, and no file of a folder.
pub fn assert_in_none(token: &str, errors: &[String], folder: &Path) {
    if token.is_empty() {
        return;
    }
    let forms = forms(token);
    let is_in = |text: &[u8]| {
        let text = String::from_utf8_lossy(text);
        forms.iter().any(|form| text.contains(form.as_str()))
    };
    let logs = LOGS.lock().unwrap_or_else(PoisonError::into_inner);
    assert!(!logs.is_empty(), "the log is recorded");
    assert!(!is_in(&logs), "the token is in the log");
    for error in errors {
        assert!(!is_in(error.as_bytes()), "the token is in an error: {error}");
    }
    for file in std::fs::read_dir(folder).unwrap() {
        let path = file.unwrap().path();
        if path.is_file() {
            assert!(!is_in(&std::fs::read(&path).unwrap()), "the token is in {}", path.display());
        }
    }
}
