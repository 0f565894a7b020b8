//! A walk with Orca, by what it says and by real keys. It takes letters as its own keys in a page until that is switched off.

use std::{fs, path::PathBuf};

use support::{
    app,
    desktop::{Desktop, DesktopOptions},
    page::Page,
    program::Process,
    screen_reader::ScreenReader,
    wait,
};

/// A running Orca, which writes down what it says.
struct Orca {
    _process: Process,
    log: PathBuf,
}

impl Orca {
    async fn start(desktop: &Desktop) -> Self {
        let log = desktop.path().join("orca.said");
        let mut command = desktop.command("orca");
        command.arg("--replace").arg(format!("--debug-file={}", log.display()));
        let process = Process::start("orca", command, &desktop.path().join("orca.log"));
        let orca = Self { _process: process, log };
        orca.says("Screen reader on").await;
        orca
    }

    /// Waits until it has said these words.
    async fn says(&self, words: &str) {
        wait::until(&format!("Orca to say {words:?}"), || async {
            let log = fs::read(&self.log).unwrap_or_default();
            String::from_utf8_lossy(&log)
                .lines()
                .any(|line| line.split_once("SPEECH OUTPUT: ").is_some_and(|(_, said)| said.contains(words)))
        })
        .await;
    }
}

#[tokio::test]
#[ignore = "make orca runs it"]
async fn orca_reads_the_list_its_rows_and_dialogs_as_keys_reach_them() {
    let desktop = Desktop::with_options(DesktopOptions { screen_reader: true, ..DesktopOptions::default() });
    let _reader = ScreenReader::start(&desktop).await;
    let orca = Orca::start(&desktop).await;
    let page = Page::open(&desktop).await;
    let own = app::own_server(&desktop).await;
    for (topic, text) in [("lunch", "Lunch at noon"), ("backups", "Backup of the laptop done")] {
        own.publish(topic, text, &[]).await;
        page.wait_for_row(text).await;
    }
    let press = |keys: &[&str]| {
        desktop.run("xdotool", keys);
    };

    press(&["search", "--onlyvisible", "--class", "tidings", "windowactivate", "--sync"]);
    page.script("document.querySelector('.list [role=listbox]').focus()").await;
    orca.says("Inbox").await;
    press(&["keydown", "Insert", "key", "z", "keyup", "Insert"]);
    orca.says("Structural navigation keys off").await;
    // The older one is the last row.
    press(&["key", "j", "key", "j"]);
    orca.says("Lunch at noon").await;
    for (key, dialog) in [("question", "Keyboard shortcuts"), ("c", "New conversation")] {
        press(&["key", key]);
        orca.says(dialog).await;
        press(&["key", "Escape"]);
        page.wait_for("body:not(:has([role=dialog]))").await;
    }
    page.close().await;
}
