//! Keeps memory small: WebKit's network process and unmodified library pages go back to the system while there is no
//! window.

use std::fs;
use std::ops::Range;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use tauri::{AppHandle, Manager};

use crate::window::LABEL;

/// The name of the network process in `/proc`: the first 15 characters.
const NETWORK_PROCESS_NAME: &str = "WebKitNetworkPr";
/// The wait after the window closed or the program started, in which WebKit may still write its files.
const SETTLE_DELAY: Duration = Duration::from_secs(2);

/// Ends the network process and returns memory, some time after the window closed or after a start without one. The
/// next window starts a new process.
pub(crate) async fn release_without_window(tauri: AppHandle) {
    tokio::time::sleep(SETTLE_DELAY).await;
    let handle = tauri.clone();
    // This runs on the thread that builds windows, so that none is built in between.
    let _ = tauri.run_on_main_thread(move || {
        if handle.get_webview_window(LABEL).is_some() {
            return;
        }
        for child in children().filter(|child| is_network_process(*child)) {
            if let Some(pid) = Pid::from_raw(child) {
                let _ = kill_process(pid, Signal::TERM);
            }
        }
    });
    // Later, when the databases are idle as well.
    tokio::time::sleep(SETTLE_DELAY).await;
    tidings_server::trim_heaps();
    if tauri.get_webview_window(LABEL).is_none() {
        let maps = fs::read_to_string("/proc/self/smaps").unwrap_or_default();
        clean_mappings(&maps).for_each(release);
    }
}

/// The address ranges of file mappings that are read-only and unmodified, by the text of `smaps`.
fn clean_mappings(smaps: &str) -> impl Iterator<Item = Range<usize>> {
    let mut part = None;
    smaps.lines().filter_map(move |line| match line.strip_prefix("Anonymous:") {
        Some(written) => part.take().filter(|_| written.trim() == "0 kB"),
        // The line of a mapping begins with its addresses, the lines about it with a name.
        None if line.starts_with(|first: char| first.is_ascii_uppercase()) => None,
        None => {
            part = read_only_mapping(line);
            None
        }
    })
}

/// The address range of a mapping, if it is a read-only mapping of a file.
fn read_only_mapping(mapping: &str) -> Option<Range<usize>> {
    let mut words = mapping.split_ascii_whitespace();
    let (from, to) = words.next()?.split_once('-')?;
    let (access, file) = (words.next()?, words.nth(3)?);
    let range = usize::from_str_radix(from, 16).ok()?..usize::from_str_radix(to, 16).ok()?;
    (matches!(access, "r-xp" | "r--p") && file.starts_with('/')).then_some(range)
}

/// Releases a range of a mapped file. The pages stay in the system's page cache, and are mapped again when this program
/// reads them.
#[allow(
    unsafe_code,
    reason = "a mapping that can only be read and of which nothing was written is the file itself: what is let go of \
              reads the same when it comes back"
)]
fn release(part: Range<usize>) {
    use rustix::mm::{Advice, madvise};
    let at = std::ptr::with_exposed_provenance_mut(part.start);
    if let Err(error) = unsafe { madvise(at, part.len(), Advice::LinuxDontNeed) } {
        tracing::debug!(%error, "a part of a file stays in memory");
    }
}

fn children() -> impl Iterator<Item = i32> {
    let threads = fs::read_dir("/proc/self/task").into_iter().flatten().flatten();
    threads
        .filter_map(|thread| fs::read_to_string(thread.path().join("children")).ok())
        .flat_map(|list| list.split_whitespace().filter_map(|pid| pid.parse().ok()).collect::<Vec<i32>>())
}

fn is_network_process(pid: i32) -> bool {
    fs::read_to_string(format!("/proc/{pid}/comm")).is_ok_and(|name| name.trim_end() == NETWORK_PROCESS_NAME)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MAPS: &str = "\
55d0c0000000-55d0c0100000 r-xp 00001000 fe:00 42   /usr/bin/tidings-desktop
Rss:                 512 kB
Anonymous:             0 kB
7f0000000000-7f0000200000 r--p 00000000 fe:00 43   /usr/lib/libwebkit2gtk-4.1.so.0
Anonymous:          2940 kB
7f0000200000-7f0000300000 r--p 00200000 fe:00 43   /usr/lib/libwebkit2gtk-4.1.so.0
Anonymous:             0 kB
7f0000400000-7f0000500000 rw-p 00400000 fe:00 43   /usr/lib/libwebkit2gtk-4.1.so.0
Anonymous:             0 kB
7f0000600000-7f0000700000 r--s 00000000 00:01 9    /memfd:WebKitSharedMemory (deleted)
Anonymous:             0 kB
7f0000800000-7f0000900000 r-xp 00000000 00:00 0    [vdso]
Anonymous:             0 kB
7f0000a00000-7f0000b00000 r--p 00000000 00:00 0
Anonymous:             0 kB
VmFlags: rd mr mw me
";

    #[test]
    fn only_what_is_a_file_and_was_never_written_is_let_go() {
        let found: Vec<_> = clean_mappings(MAPS).collect();
        assert_eq!(found, [0x55d0_c000_0000..0x55d0_c010_0000, 0x7f00_0020_0000..0x7f00_0030_0000]);
    }

    #[test]
    fn the_program_goes_on_after_letting_go_of_its_own_files() {
        let maps = fs::read_to_string("/proc/self/smaps").unwrap();
        assert!(clean_mappings(&maps).count() > 0, "a program maps its own file");
        clean_mappings(&maps).for_each(release);
        assert_eq!(clean_mappings(MAPS).count(), 2);
    }
}
