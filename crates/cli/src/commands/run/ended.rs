//! How a command ended, in the words of its notification.

use std::ffi::OsString;
use std::io;
use std::os::unix::process::ExitStatusExt as _;
use std::process::ExitStatus;
use std::time::Duration;

use tidings_model::{Priority, text};

use crate::args::{Run, Send};
use crate::output::clean;

/// The most bytes of a command line in a title.
const MAX_NAME_BYTES: usize = 120;
/// The tag of a failure, as of a topic that fell silent.
const FAILURE_TAG: &str = "warning";

/// How a command ended.
#[derive(Debug)]
pub(super) enum Ended {
    /// It exited with a code.
    Code(u8),
    /// A signal ended it.
    Signal(i32),
    /// It could not be started.
    NotStarted(io::Error),
}

impl Ended {
    /// The exit code, as a shell has it.
    pub(super) fn code(&self) -> u8 {
        match self {
            Self::Code(code) => *code,
            Self::Signal(signal) => u8::try_from(128 + signal).unwrap_or(u8::MAX),
            Self::NotStarted(error) if error.kind() == io::ErrorKind::NotFound => 127,
            Self::NotStarted(_) => 126,
        }
    }

    /// Whether it ended otherwise than it should.
    pub(super) const fn is_failure(&self) -> bool {
        !matches!(self, Self::Code(0))
    }

    /// The publication that tells of it, without its text.
    pub(super) fn publication(&self, args: &Run, took: Duration) -> Send {
        let name = args.title.clone().unwrap_or_else(|| name(&args.command));
        let failed = self.is_failure();
        Send {
            source: args.source.clone(),
            title: Some(self.title(&name, took)),
            priority: failed.then_some(Priority::HIGH.get()),
            tag: failed.then(|| FAILURE_TAG.to_owned()).into_iter().collect(),
            ..Send::on(args.topic.clone())
        }
    }

    fn title(&self, name: &str, took: Duration) -> String {
        let took = words(took);
        match self {
            Self::Code(0) => format!("{name} ended after {took}"),
            Self::Code(code) => format!("{name} failed with exit code {code} after {took}"),
            Self::Signal(signal) => format!("{name} was ended by signal {signal} after {took}"),
            Self::NotStarted(_) => format!("{name} could not be started"),
        }
    }

    /// The text of the notification: the last lines of the output, else why there are none.
    pub(super) fn body(&self, lines: u16, output: String) -> String {
        match self {
            Self::NotStarted(error) => error.to_string(),
            _ if lines == 0 => "Its output was left out.".to_owned(),
            _ if output.is_empty() => "It printed nothing.".to_owned(),
            _ => output,
        }
    }
}

impl From<ExitStatus> for Ended {
    fn from(status: ExitStatus) -> Self {
        let code = status.code().map(|code| Self::Code(u8::try_from(code).unwrap_or(u8::MAX)));
        code.unwrap_or_else(|| Self::Signal(status.signal().unwrap_or_default()))
    }
}

/// A command line in one line, shortened.
pub(super) fn name(command: &[OsString]) -> String {
    let words: Vec<_> = command.iter().map(|word| word.to_string_lossy()).collect();
    let line = clean(&words.join(" "));
    let short = text::cut(&line, MAX_NAME_BYTES);
    if short.len() < line.len() { format!("{short}…") } else { line }
}

/// A duration in its two largest units: `0.4 s`, `42 s`, `3 min 2 s`, `2 h 5 min`, `3 d 4 h`.
fn words(took: Duration) -> String {
    let secs = took.as_secs();
    match secs {
        0..10 => format!("{:.1} s", took.as_secs_f64()),
        10..60 => format!("{secs} s"),
        60..3_600 => format!("{} min {} s", secs / 60, secs % 60),
        3_600..86_400 => format!("{} h {} min", secs / 3_600, secs / 60 % 60),
        _ => format!("{} d {} h", secs / 86_400, secs / 3_600 % 24),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_title_says_what_ended_how_and_after_how_long() {
        let took = Duration::from_secs(182);
        assert_eq!(Ended::Code(0).title("make test", took), "make test ended after 3 min 2 s");
        assert_eq!(Ended::Code(2).title("make", took), "make failed with exit code 2 after 3 min 2 s");
        assert_eq!(Ended::Signal(9).title("make", took), "make was ended by signal 9 after 3 min 2 s");
        for (millis, said) in [
            (0, "0.0 s"),
            (420, "0.4 s"),
            (42_900, "42 s"),
            (60_000, "1 min 0 s"),
            (7_500_000, "2 h 5 min"),
            (273_600_000, "3 d 4 h"),
        ] {
            assert_eq!(words(Duration::from_millis(millis)), said);
        }
    }

    #[test]
    fn an_exit_code_is_the_one_that_a_shell_has() {
        assert_eq!(Ended::from(ExitStatus::from_raw(0)).code(), 0);
        assert_eq!(Ended::from(ExitStatus::from_raw(3 << 8)).code(), 3);
        assert_eq!(Ended::from(ExitStatus::from_raw(9)).code(), 137);
        let not_started = |kind: io::ErrorKind| Ended::NotStarted(kind.into()).code();
        assert_eq!(
            (not_started(io::ErrorKind::NotFound), not_started(io::ErrorKind::PermissionDenied)),
            (127, 126)
        );
    }

    #[test]
    fn a_long_command_line_is_shortened_and_keeps_to_one_line() {
        let command = |words: &[&str]| name(&words.iter().map(OsString::from).collect::<Vec<_>>());
        assert_eq!(command(&["sh", "-c", "a\nb\u{1b}"]), "sh -c a b ");
        assert_eq!(command(&["é".repeat(100).as_str()]), format!("{}…", "é".repeat(60)));
    }
}
