//! Tests of what only a terminal gets: how far a long command is, and colours.

use std::fs;
use std::process::Command;

use rusqlite::Connection;
use serde_json::Value;
use tidings_testkit::scripted::{Exchange, ScriptedServer};
use tidings_testkit::wait::QUIET_PERIOD;
use tokio::runtime::Runtime;

use crate::data_folder::{DataFolder, server_and_replica};
use crate::terminal::Terminal;

/// A list of one feed, at a server that answers when its test lets it.
fn import(runtime: &Runtime, folder: &DataFolder, more: &[&str]) -> (ScriptedServer, Command) {
    let server = runtime.block_on(ScriptedServer::start());
    let file = folder.path().join("feeds.opml");
    let feed = format!("<outline type=\"rss\" text=\"Blog\" xmlUrl=\"{}/feed\"/>", server.url());
    fs::write(&file, format!("<opml version=\"2.0\"><body>{feed}</body></opml>")).unwrap();
    let import = ["source", "import", file.to_str().unwrap(), "--private", "--yes"];
    let command = folder.command(&[&import[..], more].concat());
    (server, command)
}

#[test]
fn a_long_command_says_in_a_terminal_how_far_it_is_and_the_line_goes_with_it() {
    let (runtime, folder) = (Runtime::new().unwrap(), DataFolder::new());
    let (server, command) = import(&runtime, &folder, &[]);
    let terminal = Terminal::of(&command);
    let asked: Exchange = runtime.block_on(server.request());
    terminal.wait_for(&format!("asking {}/feed, 1 of 1", server.url()));
    drop((asked, server));
    let (code, screen) = terminal.end();
    assert_eq!(code, Some(1), "{screen}");
    let last = screen.trim_end().rsplit(['\n', '\r']).next().unwrap();
    assert!(last.contains("tidings: ") && !last.contains("asking"), "{screen:?}");
}

#[test]
fn marks_on_everything_and_removals_say_what_they_do_while_they_wait_for_another_program() {
    let (server_dir, _serving, laptop) = server_and_replica();
    server_dir.run(&["send", "--to", "ana", "Lunch at noon?"]);
    laptop.run(&["pull"]);
    for (args, step) in
        [(&["mark", "read", "--all"][..], "marking"), (&["source", "remove", "Work"], "removing")]
    {
        let other = Connection::open(laptop.path().join("replica.db")).unwrap();
        other.execute_batch("BEGIN IMMEDIATE").unwrap();
        let terminal = Terminal::of(&laptop.command(args));
        terminal.wait_for(step);
        other.execute_batch("COMMIT").unwrap();
        let (code, screen) = terminal.end();
        assert_eq!(code, Some(0), "{args:?}: {screen}");
    }
}

#[test]
fn json_and_what_no_terminal_shows_have_no_progress() {
    let (runtime, folder) = (Runtime::new().unwrap(), DataFolder::new());
    let (server, command) = import(&runtime, &folder, &["--json"]);
    let terminal = Terminal::of(&command);
    let asked = runtime.block_on(server.request());
    // Longer than it takes for the line to appear.
    std::thread::sleep(QUIET_PERIOD);
    drop((asked, server));
    let screen = terminal.end().1;
    assert!(!screen.contains("asking") && !screen.contains('\u{1b}'), "{screen:?}");
    let document = screen.find('{').map(|start| &screen[start..]).unwrap();
    let mut values = serde_json::Deserializer::from_str(document).into_iter::<Value>();
    assert!(values.next().unwrap().is_ok(), "{screen:?}");

    let (server, mut command) = import(&runtime, &folder, &[]);
    let child = command.spawn().unwrap();
    let asked = runtime.block_on(server.request());
    std::thread::sleep(QUIET_PERIOD);
    drop((asked, server));
    let done = child.wait_with_output().unwrap();
    assert!(!String::from_utf8_lossy(&done.stderr).contains("asking"), "{done:?}");
}

#[test]
fn nothing_is_coloured_for_whoever_wants_no_colours() {
    let folder = DataFolder::new();
    for args in [&["--help"][..], &["send", "nobody listens"]] {
        let shown = |no_colour: &str| {
            let mut command = folder.command(args);
            command.env("TIDINGS_LOG", "off,hyper_util=debug").env("TIDINGS_SERVER", "http://127.0.0.1:9");
            Terminal::of(command.env("NO_COLOR", no_colour)).end().1
        };
        assert!(shown("").contains("\u{1b}["), "{args:?} has colours in a terminal");
        assert!(!shown("1").contains('\u{1b}'), "{args:?}: {:?}", shown("1"));
    }
}
