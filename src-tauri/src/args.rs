//! The program's command line.

use std::ffi::OsStr;
use std::path::Path;

use tidings_ports::MenuAction;

/// The name of the program for the terminal. The packages for desktops have a link of this name to this program.
const TERMINAL_NAME: &str = "tidings";

/// The parsed command line.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Args {
    /// Whether to start without a window, as the desktop's autostart does.
    pub(crate) background: bool,
    /// Whether the session bus starts the program, which then says what to do.
    pub(crate) by_bus: bool,
    /// A `tidings:` link to open.
    pub(crate) link: Option<String>,
    /// What an action of the desktop entry does.
    pub(crate) action: Option<MenuAction>,
}

impl Args {
    /// Whether the window stays closed until something asks for it.
    pub(crate) fn without_window(&self) -> bool {
        let acts_unseen = self.action.is_some_and(|action| action != MenuAction::NewMessage);
        self.background || self.by_bus || acts_unseen
    }
}

/// A text to print instead of starting.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum EarlyExit {
    /// For standard output, with exit code 0.
    Print(String),
    /// For standard error, with exit code 2.
    UsageError(String),
}

const HELP: &str = "\
Tidings: every notification, one inbox, even offline

Usage: tidings-desktop [--background | --by-bus] [--new-message | --mark-all-read | --pause-hour] [LINK]

  --background     start without a window; the tray icon opens it
  --by-bus         start without a window; the session bus says what to show
  --new-message    open the form of a new conversation
  --mark-all-read  mark everything as read
  --pause-hour     show no toasts for an hour
  LINK             a tidings: link to open
  -h, --help       print this text and exit
  -V, --version    print the version and exit

Its files are under TIDINGS_DATA_DIR, else in the platform's data folder; its server
answers on TIDINGS_PORT, else 7878, until the settings name another port.
A second start shows the window of the first.";

/// Whether the program was started by the name of the one for the terminal, with or without its path.
pub(crate) fn is_for_terminal(started_as: Option<&OsStr>) -> bool {
    started_as.map(Path::new).and_then(Path::file_name).is_some_and(|name| name == TERMINAL_NAME)
}

/// Parses the arguments after the program's name.
pub(crate) fn parse(args: impl Iterator<Item = String>) -> Result<Args, EarlyExit> {
    let mut parsed = Args::default();
    for arg in args {
        match arg.as_str() {
            "--background" => parsed.background = true,
            "--by-bus" => parsed.by_bus = true,
            "-h" | "--help" => return Err(EarlyExit::Print(HELP.to_owned())),
            "-V" | "--version" => {
                return Err(EarlyExit::Print(
                    concat!("tidings-desktop ", env!("CARGO_PKG_VERSION")).to_owned(),
                ));
            }
            link if link.starts_with("tidings:") && parsed.link.is_none() => parsed.link = Some(arg),
            other => {
                let Some(action) = other.strip_prefix("--").and_then(MenuAction::from_word) else {
                    return Err(EarlyExit::UsageError(format!(
                        "tidings-desktop: {other} is not known; see --help"
                    )));
                };
                parsed.action = Some(action);
            }
        }
    }
    Ok(parsed)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn start(args: &[&str]) -> Result<Args, EarlyExit> {
        parse(args.iter().map(|arg| (*arg).to_owned()))
    }

    #[test]
    fn options_of_the_desktop_entry_are_the_words_of_the_socket_and_are_explained() {
        let entry = include_str!("../../packaging/org.tidings.desktop.desktop");
        let options: Vec<_> =
            entry.lines().filter_map(|line| line.strip_prefix("Exec=tidings-desktop --")).collect();
        assert_eq!(options.len(), 3, "{entry}");
        for option in options {
            let action = start(&[&format!("--{option}")]).unwrap().action.unwrap();
            assert_eq!(action.word(), Some(option));
            assert!(HELP.contains(&format!("\n  --{option} ")), "{option}");
        }
    }

    /// A text without what sets its type: its letters, in lower case.
    fn letters(text: &str) -> String {
        text.to_lowercase().chars().filter(|char| !char.is_whitespace() && !"\\\"".contains(*char)).collect()
    }

    #[test]
    fn the_manual_page_says_what_the_help_says() {
        let page = include_str!("../../packaging/tidings-desktop.1");
        let lines = page.lines().map(|line| match line.strip_prefix('.') {
            Some(request) => request.split_once(' ').map_or("", |(_, words)| words),
            None => line,
        });
        let said = letters(&lines.collect::<String>());
        let mut paragraphs = HELP.split("\n\n");
        let (about, usage) = (paragraphs.next().unwrap(), paragraphs.next().unwrap());
        assert!(said.contains(&letters(about.strip_prefix("Tidings: ").unwrap())), "{about}");
        assert!(said.contains(&letters(usage.strip_prefix("Usage: ").unwrap())), "{usage}");
        let options: Vec<_> = paragraphs.next().unwrap().lines().collect();
        for option in &options {
            assert!(said.contains(&letters(option)), "{option}: {said}");
        }
        let section = page.split(".SH ").find(|section| section.starts_with("OPTIONS")).unwrap();
        assert_eq!(section.matches(".TP\n").count(), options.len(), "it has no others");
        for name in ["TIDINGS_DATA_DIR", "TIDINGS_PORT"] {
            assert!(HELP.contains(name) && page.contains(name), "{name}");
        }
    }

    #[test]
    fn only_the_name_of_the_program_for_the_terminal_starts_that() {
        let is_for_terminal = |name: &str| is_for_terminal(Some(OsStr::new(name)));
        assert!(is_for_terminal("tidings") && is_for_terminal("/usr/bin/tidings"));
        for other in ["tidings-desktop", "/usr/bin/tidings-desktop", "/tidings/app", "/proc/self/exe", ""] {
            assert!(!is_for_terminal(other), "{other}");
        }
        assert!(!super::is_for_terminal(None));
    }

    #[test]
    fn a_start_is_understood_or_refused() {
        assert_eq!(start(&[]), Ok(Args::default()));
        assert_eq!(start(&["--background"]), Ok(Args { background: true, ..Args::default() }));
        assert_eq!(start(&["tidings:thread/7"]).unwrap().link.as_deref(), Some("tidings:thread/7"));
        let pause = start(&["--pause-hour"]).unwrap();
        assert_eq!(pause.action, Some(MenuAction::PauseHour));
        assert!(pause.without_window());
        assert!(!start(&["--new-message"]).unwrap().without_window());
        let service = include_str!("../../packaging/org.tidings.desktop.service");
        let (_, option) = service.trim_end().rsplit_once(' ').unwrap();
        let by_bus = start(&[option]).unwrap();
        assert!(by_bus.by_bus && by_bus.without_window());
        assert!(matches!(start(&["--help"]), Err(EarlyExit::Print(_))));
        assert!(matches!(start(&["--loud"]), Err(EarlyExit::UsageError(_))));
    }
}
