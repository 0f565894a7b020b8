//! A session bus of one test, which starts no services by itself.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

/// The configuration of a bus that names no folder of services: everybody may do everything, but for what `denied` says.
fn configuration(denied: &str) -> String {
    format!(
        r#"<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
    "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig><type>session</type><listen>unix:tmpdir=/tmp</listen><policy context="default">
<allow send_destination="*"/><allow own="*"/><allow eavesdrop="true"/>{denied}</policy></busconfig>"#
    )
}

/// A running bus, killed with its test.
pub struct Bus {
    daemon: Child,
    /// Its address, as in `DBUS_SESSION_BUS_ADDRESS`.
    pub address: String,
}

impl Bus {
    /// Starts a bus.
    pub fn start() -> Self {
        Self::with(&configuration(""))
    }

    /// Starts a bus on which nobody may become a monitor.
    pub fn without_monitors() -> Self {
        Self::with(&configuration(r#"<deny send_interface="org.freedesktop.DBus.Monitoring"/>"#))
    }

    fn with(configuration: &str) -> Self {
        static STARTED: AtomicU32 = AtomicU32::new(0);
        let nth = STARTED.fetch_add(1, Ordering::Relaxed);
        let file = std::env::temp_dir().join(format!("tidings-bus-{}-{nth}.conf", std::process::id()));
        std::fs::write(&file, configuration).unwrap();
        let mut daemon = Command::new("dbus-daemon")
            .arg(format!("--config-file={}", file.display()))
            .args(["--nofork", "--nopidfile", "--print-address=1"])
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut address = String::new();
        BufReader::new(daemon.stdout.take().unwrap()).read_line(&mut address).unwrap();
        std::fs::remove_file(&file).unwrap();
        Self { daemon, address: address.trim().to_owned() }
    }

    /// Ends the bus.
    pub fn end(&mut self) {
        let _ = self.daemon.kill();
        let _ = self.daemon.wait();
    }
}

impl Drop for Bus {
    fn drop(&mut self) {
        self.end();
    }
}
