//! The modes of new files: everything that this process or the engine of the window creates is for its owner alone. What
//! the user gets elsewhere, and the programs that are opened, have the modes that are usual there.

use std::process::{Command, Stdio};
use std::sync::OnceLock;

use rustix::fs::Mode;
use rustix::process::umask;
use tidings_home::user_file;

/// The umask with which this program was started.
static INHERITED: OnceLock<u32> = OnceLock::new();

/// Makes new files and folders private (0600, 0700) from their first byte. Has to come before any of them and any thread.
pub(crate) fn make_private() {
    let inherited = umask(Mode::RWXG | Mode::RWXO).as_raw_mode();
    let _ = INHERITED.set(inherited);
    user_file::set_umask(inherited);
}

/// Runs a program apart, with the umask with which this one was started; `$0` is that, and the others are the command. The
/// shell ends at once, with an error if there is no such program.
const APART: &str = "umask \"$0\"; command -v \"$1\" >/dev/null || exit 127; nohup \"$@\" >/dev/null 2>&1 &";

/// Starts a program apart, with the umask with which this one was started; false if there is none.
pub(crate) fn start_apart(command: &Command) -> bool {
    let mut shell = Command::new("/bin/sh");
    shell.arg("-c").arg(APART).arg(format!("{:03o}", INHERITED.get().copied().unwrap_or(0o022)));
    shell.arg(command.get_program()).args(command.get_args());
    shell.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    shell.status().is_ok_and(|status| status.success())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_that_is_opened_has_the_umask_of_the_desktop_and_one_that_is_missing_is_told() {
        let dir = tempfile::tempdir().unwrap();
        let told = dir.path().join("it's told");
        let mut command = Command::new("sh");
        command.args(["-c", "umask >\"$0.new\"; echo \"$1\" >>\"$0.new\"; mv \"$0.new\" \"$0\""]);
        command.arg(&told).arg("https://a.example/?a=$(b)&c='d'");
        assert!(start_apart(&command));
        let begun = std::time::Instant::now();
        while !told.exists() {
            assert!(begun.elapsed().as_secs() < 60, "it was not started");
            std::thread::yield_now();
        }
        let text = std::fs::read_to_string(&told).unwrap();
        assert_eq!(text, "0022\nhttps://a.example/?a=$(b)&c='d'\n");
        assert!(!start_apart(&Command::new("no-such-program-of-tidings")));
    }
}
