//! A Redis of a test's own, from the packages of the system: never one that happens to run. It listens on a socket in a
//! temporary folder, keeps nothing on disk, and ends with the process of the test, however that ends.

use std::fs;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

use tokio::io::copy_bidirectional;
use tokio::net::{TcpListener, UnixStream};

use crate::wait;

/// Runs `redis-server` in the folder `$1` until the input ends, then ends it. The folder goes too if the process of the
/// test, `$2`, is gone.
const KEEPER: &str = r#"
folder=$1 user=$2; shift 2
redis-server "$@" --dir "$folder" --unixsocket "$folder/redis.sock" --port 0 --save "" --appendonly no \
  --daemonize no >"$folder/redis.log" 2>&1 &
pid=$!
echo "$pid" >"$folder/pid.new"
mv "$folder/pid.new" "$folder/pid"
cat >/dev/null
kill -KILL "$pid" 2>/dev/null
wait "$pid" 2>/dev/null
kill -0 "$user" 2>/dev/null || rm -rf "$folder"
"#;

/// A running Redis. Dropping it ends it.
pub struct Redis {
    folder: PathBuf,
    settings: Vec<String>,
    password: Option<String>,
    /// The shell that keeps the server; the server ends when its input does.
    keeper: Option<Child>,
}

impl Redis {
    /// Starts one.
    pub fn start() -> Self {
        Self::start_with(&[])
    }

    /// Starts one that asks for this password.
    pub fn with_password(password: &str) -> Self {
        Self::new(&["--requirepass", password], Some(password))
    }

    /// Starts one with further settings, such as `--rename-command SSUBSCRIBE ""`.
    pub fn start_with(settings: &[&str]) -> Self {
        Self::new(settings, None)
    }

    fn new(settings: &[&str], password: Option<&str>) -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let name = format!("tidings-redis-{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::SeqCst));
        let folder = std::env::temp_dir().join(name);
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        let settings = settings.iter().map(|setting| (*setting).to_owned()).collect();
        let mut redis = Self { folder, settings, password: password.map(str::to_owned), keeper: None };
        redis.restart();
        redis
    }

    /// The address of its socket, with the password.
    pub fn url(&self) -> String {
        let password = self.password.as_ref().map(|password| format!("?password={password}"));
        format!("redis+unix://{}{}", self.socket().display(), password.unwrap_or_default())
    }

    fn socket(&self) -> PathBuf {
        self.folder.join("redis.sock")
    }

    /// Starts it again, empty, at the same address.
    pub fn restart(&mut self) {
        self.end();
        let _ = fs::remove_file(self.socket());
        let keeper = Command::new("sh")
            .args(["-c", KEEPER, "keeper"])
            .arg(&self.folder)
            .arg(std::process::id().to_string())
            .args(&self.settings)
            .current_dir("/")
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn();
        self.keeper = Some(keeper.expect("a shell"));
        wait::until_blocking("Redis, which scripts/setup.sh test installs", || {
            self.folder.join("pid").exists() && matches!(&*self.asked(&["PING"]), "PONG")
        });
    }

    /// Ends it at once, as `kill -9` does.
    pub fn kill(&mut self) {
        self.signal("KILL");
        self.end();
    }

    /// Stops it in the middle of whatever it does; its connections stay.
    pub fn freeze(&self) {
        self.signal("STOP");
    }

    /// Lets it go on.
    pub fn thaw(&self) {
        self.signal("CONT");
    }

    fn signal(&self, name: &str) {
        let pid = fs::read_to_string(self.folder.join("pid")).unwrap();
        let sent = Command::new("kill").arg(format!("-{name}")).arg(pid.trim()).status().unwrap();
        assert!(sent.success(), "SIG{name}");
    }

    fn end(&mut self) {
        if let Some(mut keeper) = self.keeper.take() {
            drop(keeper.stdin.take());
            let _ = keeper.wait();
            let _ = fs::remove_file(self.folder.join("pid"));
        }
    }

    /// Sends a command past everything else; gives what the server answers, line by line.
    pub fn ask(&self, command: &[&str]) -> String {
        let answer = self.asked(command);
        assert!(!answer.starts_with("ERR") && !answer.starts_with("Could not"), "{command:?}: {answer}");
        answer
    }

    fn asked(&self, command: &[&str]) -> String {
        let mut cli = Command::new("redis-cli");
        cli.arg("-s").arg(self.socket()).args(command).current_dir("/").stdin(Stdio::null());
        cli.envs(self.password.iter().map(|password| ("REDISCLI_AUTH", password)));
        let done = cli.output().expect("redis-cli, which scripts/setup.sh test installs");
        String::from_utf8(done.stdout).unwrap().trim_end().to_owned()
    }

    /// The keys that match a pattern.
    pub fn keys(&self, pattern: &str) -> Vec<String> {
        let mut keys: Vec<String> = self.ask(&["KEYS", pattern]).lines().map(str::to_owned).collect();
        keys.sort();
        keys
    }

    /// Takes connections at a port of the loopback and passes them on; gives the port. This ends with the test's runtime.
    pub async fn port(&self) -> u16 {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let (port, socket) = (listener.local_addr().unwrap().port(), self.socket());
        tokio::spawn(async move {
            while let Ok((mut near, _)) = listener.accept().await {
                let socket = socket.clone();
                tokio::spawn(async move {
                    if let Ok(mut far) = UnixStream::connect(&socket).await {
                        let _ = copy_bidirectional(&mut near, &mut far).await;
                    }
                });
            }
        });
        port
    }
}

impl Drop for Redis {
    fn drop(&mut self) {
        self.end();
        let _ = fs::remove_dir_all(&self.folder);
    }
}
