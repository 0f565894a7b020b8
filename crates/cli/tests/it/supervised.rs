//! Tests of a server that a service manager started.

use std::os::unix::net::UnixDatagram;

use tidings_testkit::wait::TEST_TIMEOUT;

use crate::data_folder::DataFolder;
use crate::serving::Serving;

#[test]
fn a_service_manager_hears_when_the_server_answers_and_when_it_ends() {
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
    std::net::TcpStream::connect(address).unwrap();
    folder.run(&["user", "add", "ana"]);
    serving.terminate();
    assert_eq!(message(), "STOPPING=1");
}
