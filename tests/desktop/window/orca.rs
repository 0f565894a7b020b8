//! A walk with Orca, by what it says and by real keys. It takes letters as its own keys in a page until that is switched off.

use std::{cell::Cell, fs, path::PathBuf, time::Duration};

use support::{
    app,
    desktop::{Desktop, DesktopOptions},
    page::Page,
    program::Process,
    screen_reader::ScreenReader,
    wait,
};

/// How long to wait for words before the keys are pressed again.
const PATIENCE: Duration = Duration::from_secs(5);

/// A running Orca, which writes down what it says.
struct Orca {
    _process: Process,
    log: PathBuf,
    /// How much of it was said until the words that were last waited for.
    heard: Cell<usize>,
}

impl Orca {
    async fn start(desktop: &Desktop) -> Self {
        let log = desktop.path().join("orca.said");
        // It would keep back what it says until that fills a block. This file is where a reader changes what it does.
        let own = desktop.home().join(".local/share/orca");
        fs::create_dir_all(&own).expect("a folder for Orca");
        let at_once = "from orca import debug\ndebug.debugFile.reconfigure(line_buffering=True)\n";
        fs::write(own.join("orca-customizations.py"), at_once).expect("what Orca does is changed");
        let mut command = desktop.command("orca");
        // It would go by states of rows that it has read before, while WebKitGTK tells no other state of theirs.
        command.env("ATSPI_NO_CACHE", "1");
        command.arg("--replace").arg(format!("--debug-file={}", log.display()));
        let process = Process::start("orca", command, &desktop.path().join("orca.log"));
        let orca = Self { _process: process, log, heard: Cell::new(0) };
        orca.says("Screen reader on").await;
        orca
    }

    /// All that it has said.
    fn said(&self) -> Vec<String> {
        let log = fs::read(&self.log).unwrap_or_default();
        let said = |line: &str| Some(line.split_once("SPEECH OUTPUT: ")?.1.to_owned());
        String::from_utf8_lossy(&log).lines().filter_map(said).collect()
    }

    /// Waits until it says these words, after those that were last waited for.
    async fn says(&self, words: &str) {
        let heard = self.heard.get();
        let after = wait::until(&format!("Orca to say {words:?}"), || async {
            self.said().iter().skip(heard).position(|said| said.contains(words))
        })
        .await;
        self.heard.set(heard + after + 1);
    }

    /// Presses keys until it says these words: on a busy machine it misses a key, or what follows from it.
    async fn says_at(&self, press: impl Fn(), words: &str) {
        wait::until(&format!("the keys of {words:?}"), || async {
            press();
            tokio::time::timeout(PATIENCE, self.says(words)).await.is_ok()
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
    orca.says("Tidings").await;
    page.script("document.querySelector('.list [role=listbox]').focus()").await;
    press(&["keydown", "Insert", "key", "z", "keyup", "Insert"]);
    orca.says("Structural navigation keys off").await;
    // Of a dialog with a field it may say the field alone.
    for (key, words) in [("question", "Keyboard shortcuts dialog"), ("c", "To combo box")] {
        // From the first row to the last. It names a dialog if it has told what had the focus before.
        orca.says_at(|| press(&["key", "k", "key", "j"]), "Lunch at noon").await;
        press(&["key", key]);
        orca.says(words).await;
        press(&["key", "Escape"]);
        page.wait_for("body:not(:has([role=dialog]))").await;
    }
    assert!(orca.said().iter().any(|said| said.contains("Inbox list box")), "{:?}", orca.said());
    page.close().await;
}
