//! What a closed window leaves behind: WebKit keeps its network process for as long as the program runs. Refuses to
//! touch it while there is a window.

use std::fs;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use tauri::{AppHandle, Manager};

use crate::window::LABEL;

/// What the kernel calls the process: the first 15 letters of its name.
const NAME: &str = "WebKitNetworkPr";
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
}

fn children() -> impl Iterator<Item = i32> {
    let threads = fs::read_dir("/proc/self/task").into_iter().flatten().flatten();
    threads
        .filter_map(|thread| fs::read_to_string(thread.path().join("children")).ok())
        .flat_map(|list| list.split_whitespace().filter_map(|pid| pid.parse().ok()).collect::<Vec<i32>>())
}

fn is_network_process(pid: i32) -> bool {
    fs::read_to_string(format!("/proc/{pid}/comm")).is_ok_and(|name| name.trim_end() == NAME)
}
