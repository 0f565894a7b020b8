//! What is left of what is over: WebKit's network process after the window, and freed memory after a burst. Refuses to
//! touch what is in use.

use std::fs;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use tauri::{AppHandle, Manager};

use crate::window::LABEL;

/// What the kernel calls the process: the first 15 letters of its name.
const NAME: &str = "WebKitNetworkPr";
/// How often freed memory is given back.
const GIVE_BACK: Duration = Duration::from_secs(30);
/// WebKit may still be putting its files in order.
const SETTLED: Duration = Duration::from_secs(2);

/// Ends the network process once the window has been gone for a while. The next window starts a new one.
pub(crate) async fn end(tauri: AppHandle) {
    tokio::time::sleep(SETTLED).await;
    let handle = tauri.clone();
    // On the thread that builds windows, so that none can come in between.
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
    // Once the databases are idle as well.
    tokio::time::sleep(SETTLED).await;
    trim();
}

/// Gives freed memory back to the system now and then: the allocator keeps what a large pull needed for as long as the
/// program runs, which is days.
pub(crate) async fn give_back() {
    loop {
        tokio::time::sleep(GIVE_BACK).await;
        trim();
    }
}

#[cfg(target_env = "gnu")]
#[allow(
    unsafe_code,
    reason = "the allocator's own call; it takes a number, touches no memory in use, and may be called anywhere"
)]
fn trim() {
    unsafe {
        libc::malloc_trim(0);
    }
}

#[cfg(not(target_env = "gnu"))]
fn trim() {}

fn children() -> impl Iterator<Item = i32> {
    let threads = fs::read_dir("/proc/self/task").into_iter().flatten().flatten();
    threads
        .filter_map(|thread| fs::read_to_string(thread.path().join("children")).ok())
        .flat_map(|list| list.split_whitespace().filter_map(|pid| pid.parse().ok()).collect::<Vec<i32>>())
}

fn is_network_process(pid: i32) -> bool {
    fs::read_to_string(format!("/proc/{pid}/comm")).is_ok_and(|name| name.trim_end() == NAME)
}
