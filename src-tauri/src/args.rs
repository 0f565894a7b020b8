//! The program's command line.

/// The parsed command line.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Args {
    /// Whether to start without a window, as the desktop's autostart does.
    pub(crate) background: bool,
    /// A `tidings:` link to open.
    pub(crate) link: Option<String>,
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

Usage: tidings-desktop [--background] [LINK]

  --background   start without a window; the tray icon opens it
  LINK           a tidings: link to open
  -h, --help     this text
  -V, --version  the version

Its files are under TIDINGS_DATA_DIR, else in the platform's data folder; its server
answers on TIDINGS_PORT, else 7878, until the settings name another port.
A second start shows the window of the first.";

/// Parses the arguments after the program's name.
pub(crate) fn parse(args: impl Iterator<Item = String>) -> Result<Args, EarlyExit> {
    let mut parsed = Args::default();
    for arg in args {
        match arg.as_str() {
            "--background" => parsed.background = true,
            "-h" | "--help" => return Err(EarlyExit::Print(HELP.to_owned())),
            "-V" | "--version" => {
                return Err(EarlyExit::Print(
                    concat!("tidings-desktop ", env!("CARGO_PKG_VERSION")).to_owned(),
                ));
            }
            link if link.starts_with("tidings:") && parsed.link.is_none() => parsed.link = Some(arg),
            other => {
                return Err(EarlyExit::UsageError(format!(
                    "tidings-desktop: {other} is not known; see --help"
                )));
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
    fn a_start_is_understood_or_refused() {
        assert_eq!(start(&[]), Ok(Args::default()));
        assert_eq!(start(&["--background"]), Ok(Args { background: true, link: None }));
        assert_eq!(start(&["tidings:thread/7"]).unwrap().link.as_deref(), Some("tidings:thread/7"));
        assert!(matches!(start(&["--help"]), Err(EarlyExit::Print(_))));
        assert!(matches!(start(&["--loud"]), Err(EarlyExit::UsageError(_))));
    }
}
