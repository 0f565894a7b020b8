//! A session bus of one test, which starts no services by itself.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

/// Lets everybody on it do everything, and names no folder of services.
const CONFIG: &str = r#"<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
    "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig><type>session</type><listen>unix:tmpdir=/tmp</listen><policy context="default">
<allow send_destination="*"/><allow own="*"/><allow eavesdrop="true"/></policy></busconfig>"#;

/// A running bus, killed with its test.
pub struct Bus {
    daemon: Child,
    /// Its address, as in `DBUS_SESSION_BUS_ADDRESS`.
    pub address: String,
}

impl Bus {
    /// Starts a bus.
    pub fn start() -> Self {
        static STARTED: AtomicU32 = AtomicU32::new(0);
        let nth = STARTED.fetch_add(1, Ordering::Relaxed);
        let config = std::env::temp_dir().join(format!("tidings-bus-{}-{nth}.conf", std::process::id()));
        std::fs::write(&config, CONFIG).unwrap();
        let mut daemon = Command::new("dbus-daemon")
            .arg(format!("--config-file={}", config.display()))
            .args(["--nofork", "--nopidfile", "--print-address=1"])
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut address = String::new();
        BufReader::new(daemon.stdout.take().unwrap()).read_line(&mut address).unwrap();
        std::fs::remove_file(&config).unwrap();
        Self { daemon, address: address.trim().to_owned() }
    }
}

impl Drop for Bus {
    fn drop(&mut self) {
        let _ = self.daemon.kill();
        let _ = self.daemon.wait();
    }
}
