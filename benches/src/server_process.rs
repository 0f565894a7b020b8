//! The headless server as a process of its own, so that the kernel accounts for its processor time and memory.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};

use reqwest::Method;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, Command};

use crate::Result;
use crate::client::Client;
use crate::process_stats::ProcessStats;

/// A running `tidings serve`. Dropping it kills it.
pub(crate) struct ServerProcess {
    child: Child,
    pub(crate) url: String,
    /// The admin's token; printed only at the first start on a data folder.
    pub(crate) admin: Option<String>,
    /// The address for mail, if it was started with one.
    pub(crate) smtp: Option<String>,
    log: PathBuf,
}

impl ServerProcess {
    /// Starts the `tidings` program next to this executable on a free port.
    pub(crate) async fn start(data: &Path) -> Result<Self> {
        Self::start_on(data, "sqlite", &[]).await
    }

    /// Starts one on the database `store`, with further arguments.
    pub(crate) async fn start_on(data: &Path, store: &str, args: &[String]) -> Result<Self> {
        fs::create_dir_all(data)?;
        let log = data.join("serve.log");
        let program = std::env::current_exe()?.with_file_name("tidings");
        // Nobody who would have to notice its end sends requests to it.
        let mut child = Command::new(&program)
            .args(["serve", "--listen", "127.0.0.1:0", "--open-publish", "--drain", "0s"])
            .args(args)
            .env("TIDINGS_DATA_DIR", data)
            .env("TIDINGS_STORE", store)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(fs::File::create(&log)?)
            .kill_on_drop(true)
            .spawn()
            .map_err(|e| format!("{}: {e}", program.display()))?;
        let mut lines = BufReader::new(child.stdout.take().ok_or("no output")?).lines();
        let (mut admin, mut url) = (None, None);
        while let Some(line) = lines.next_line().await? {
            if let Some(at) = line.find("tdg_") {
                admin = line.get(at..).map(str::to_owned);
            }
            if let Some(listening) = line.strip_prefix("listening on ") {
                url = Some(listening.to_owned());
            }
            let smtp = line.strip_prefix("smtp on ").map(str::to_owned);
            // The address for mail comes last.
            if let Some(url) = url.take_if(|_| smtp.is_some() || !args.iter().any(|arg| arg == "--smtp")) {
                return Ok(Self { child, url, admin, smtp, log });
            }
        }
        Err(format!("the server did not start: {}", fs::read_to_string(log)?).into())
    }

    /// What it logged.
    pub(crate) fn log(&self) -> String {
        fs::read_to_string(&self.log).unwrap_or_default()
    }

    /// What the kernel accounts to it.
    pub(crate) fn stats(&self) -> Result<ProcessStats> {
        Ok(ProcessStats::new(self.child.id().ok_or("the server has ended")?))
    }

    /// Ends it by SIGTERM and gives the time it took. It is killed after a minute.
    pub(crate) async fn shut_down(mut self) -> Result<Duration> {
        let id = self.child.id().ok_or("the server has ended")?;
        let requested_at = Instant::now();
        Command::new("kill").arg(id.to_string()).status().await?;
        match tokio::time::timeout(Duration::from_secs(60), self.child.wait()).await {
            Ok(status) => drop(status?),
            Err(_) => self.child.kill().await?,
        }
        Ok(requested_at.elapsed())
    }
}

/// A server with a user, who reads and publishes.
pub(crate) struct ServerWithUser {
    pub(crate) process: ServerProcess,
    pub(crate) client: Client,
    pub(crate) token: String,
}

impl ServerWithUser {
    pub(crate) async fn start(data: &Path, user: &str) -> Result<Self> {
        let process = ServerProcess::start(data).await?;
        let client = Client::new(&process.url)?;
        let admin = process.admin.clone().ok_or("no admin")?;
        client.call(&admin, Method::POST, "/users", &json!({"id": user})).await?;
        let scopes = json!({"scopes": ["inbox", "publish"]});
        let created = client.call(&admin, Method::POST, &format!("/users/{user}/tokens"), &scopes).await?;
        let token = created.get("token").and_then(Value::as_str).ok_or("no token")?.to_owned();
        Ok(Self { process, client, token })
    }

    /// Publishes on a topic.
    pub(crate) async fn publish(&self, topic: &str) -> Result<()> {
        let request = self.client.http.put(format!("{}/{topic}", self.client.url)).bearer_auth(&self.token);
        request.body("Backup done").send().await?.error_for_status()?.bytes().await?;
        Ok(())
    }
}
