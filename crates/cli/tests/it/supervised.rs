//! Tests of a server that a service manager started, and of one in a terminal.

use std::os::unix::net::UnixDatagram;

use tidings_testkit::wait::{TEST_TIMEOUT, until_blocking};

use crate::data_folder::DataFolder;
use crate::serving::Serving;
use crate::terminal::Terminal;

#[test]
fn a_service_manager_hears_when_the_server_answers_reloads_and_ends() {
    let folder = DataFolder::new();
    let path = folder.path().join("notify");
    let manager = UnixDatagram::bind(&path).unwrap();
    manager.set_read_timeout(Some(TEST_TIMEOUT)).unwrap();
    let message = || {
        let mut buffer = [0; 256];
        let len = manager.recv(&mut buffer).unwrap();
        String::from_utf8_lossy(&buffer[..len]).trim_end().to_owned()
    };
    let mut command = folder.command(&["serve", "--listen", "127.0.0.1:0"]);
    let mut child = command.env("NOTIFY_SOCKET", &path).spawn().unwrap();
    let out = child.stdout.take().unwrap();
    let mut serving = Serving::with_unread_output(child);
    serving.read(out);
    assert_eq!(message(), "READY=1");
    let address = serving.line_after("listening on http://");
    std::net::TcpStream::connect(&address).unwrap();
    for _ in 0..2 {
        serving.send_signal("HUP");
        let reloading = message();
        let since = reloading.strip_prefix("RELOADING=1\nMONOTONIC_USEC=").map(str::parse::<u64>);
        assert!(matches!(since, Some(Ok(_))), "{reloading}");
        assert_eq!(message(), "READY=1");
    }
    std::net::TcpStream::connect(&address).unwrap();
    folder.run(&["user", "add", "ana"]);
    serving.terminate();
    assert_eq!(message(), "STOPPING=1");
}

#[test]
fn a_server_in_a_terminal_ends_with_it_and_leaves_no_address_behind() {
    let folder = DataFolder::new();
    let endpoint = folder.path().join("endpoint.json");
    let terminal = Terminal::of(&folder.command(&["serve", "--listen", "127.0.0.1:0"]));
    terminal.wait_for("listening on http://");
    assert!(endpoint.exists());
    drop(terminal);
    until_blocking("the server is gone", || !endpoint.exists());
}
