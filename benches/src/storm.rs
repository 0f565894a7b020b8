//! The window while a hundred notifications arrive each second: the longest time between two frames, beside the same
//! window at rest. The page records its own frames, and is asked over `WebDriver`.

use std::net::TcpListener;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::Result;
use crate::desktop::{endpoint, first_start, prepare, sibling_program, terminate};
use crate::report::Report;
use crate::screen::Screen;

/// Items in the inbox before the storm.
const ITEM_COUNT: usize = 10_000;
/// Duration of the storm, and of the observation at rest.
const STORM_DURATION: Duration = Duration::from_secs(15);
/// Notifications published at once, every [`BATCH_INTERVAL`].
const BATCH_SIZE: usize = 10;
const BATCH_INTERVAL: Duration = Duration::from_millis(100);
/// Number of topics that they are published to.
const TOPIC_COUNT: usize = 40;
/// Timeout for the page to be drawn, and for the last notification to appear in it.
const WAIT_TIMEOUT: Duration = Duration::from_secs(60);

/// Script that records the time between every two frames, in milliseconds.
const WATCH_SCRIPT: &str = "
    const gaps = []; window.gaps = gaps; let last = performance.now();
    const frame = () => {
      if (window.gaps !== gaps) return;
      const now = performance.now(); gaps.push(now - last); last = now; requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);";
/// Script that returns the longest recorded gap and the 99th percentile, in milliseconds, and the number of gaps.
const GAPS_SCRIPT: &str = "
    const all = window.gaps.toSorted((a, b) => a - b);
    return [all.at(-1), all[Math.floor(all.length * 0.99)], all.length];";

/// The app in a window controlled over `WebDriver`. Dropping it ends the driver and the app.
struct DriverSession {
    driver: Child,
    http: reqwest::Client,
    session: String,
}

impl DriverSession {
    /// Starts the app and waits until its page is drawn; `None` if `tauri-driver` is not installed.
    async fn start(app: &Path, data: &Path) -> Result<Option<Self>> {
        let [port, native] = [free_port()?, free_port()?];
        let mut command = Command::new("tauri-driver");
        command.args(["--port", &port.to_string(), "--native-port", &native.to_string()]);
        command.env("TIDINGS_DATA_DIR", data);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let Ok(driver) = command.spawn() else { return Ok(None) };
        let http = reqwest::Client::builder().no_proxy().tls_certs_only([]).timeout(WAIT_TIMEOUT).build()?;
        let mut session = Self { driver, http, session: String::new() };
        for port in [port, native] {
            until("the driver", async || {
                Ok(tokio::net::TcpStream::connect(("127.0.0.1", port)).await.is_ok())
            })
            .await?;
        }
        let url = format!("http://127.0.0.1:{port}/session");
        let options = json!({"application": app, "args": []});
        let capabilities = json!({"browserName": "wry", "tauri:options": options});
        let created =
            session.send_command(&url, &json!({"capabilities": {"alwaysMatch": capabilities}})).await?;
        let id = created.get("sessionId").and_then(Value::as_str).ok_or("the driver made no session")?;
        session.session = format!("{url}/{id}");
        until("the page", async || {
            Ok(session.script("return document.documentElement.dataset.ready === '1'").await? == json!(true))
        })
        .await?;
        Ok(Some(session))
    }

    async fn send_command(&self, url: &str, body: &Value) -> Result<Value> {
        let answer: Value = self.http.post(url).json(body).send().await?.json().await?;
        let value = answer.get("value").cloned().unwrap_or_default();
        match value.get("error") {
            Some(error) => Err(format!("the driver refuses: {error}").into()),
            None => Ok(value),
        }
    }

    async fn script(&self, script: &str) -> Result<Value> {
        self.send_command(&format!("{}/execute/sync", self.session), &json!({"script": script, "args": []}))
            .await
    }

    /// The longest gap between two frames since [`WATCH_SCRIPT`] was run and the 99th percentile, both in milliseconds,
    /// and the number of frames.
    async fn gaps(&self) -> Result<(f64, f64, u64)> {
        let [longest, p99, frames]: [f64; 3] = serde_json::from_value(self.script(GAPS_SCRIPT).await?)?;
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a count")]
        Ok((longest, p99, frames as u64))
    }

    /// Closes the session, which ends the app.
    async fn close(&self) -> Result<()> {
        self.http.delete(&self.session).send().await?.error_for_status()?;
        Ok(())
    }
}

impl Drop for DriverSession {
    fn drop(&mut self) {
        terminate(&mut self.driver);
    }
}

fn free_port() -> Result<u16> {
    Ok(TcpListener::bind("127.0.0.1:0")?.local_addr()?.port())
}

async fn until(what: &str, condition: impl AsyncFn() -> Result<bool>) -> Result<()> {
    let started = Instant::now();
    while !condition().await? {
        if started.elapsed() > WAIT_TIMEOUT {
            return Err(format!("{what} was not there within {} s", WAIT_TIMEOUT.as_secs()).into());
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    Ok(())
}

/// Publishes for [`STORM_DURATION`]; gives the number of notifications.
async fn post_storm(url: &str) -> Result<usize> {
    let http = reqwest::Client::builder().no_proxy().tls_certs_only([]).build()?;
    let (started, mut sent) = (Instant::now(), 0);
    let mut ticks = tokio::time::interval(BATCH_INTERVAL);
    while started.elapsed() < STORM_DURATION {
        ticks.tick().await;
        let batch: Vec<_> = (sent..sent + BATCH_SIZE)
            .map(|n| {
                let post = http.post(format!("{url}/job-{}", n % TOPIC_COUNT)).body(format!("Step {n} done"));
                tokio::spawn(async move { post.send().await?.error_for_status().map(drop) })
            })
            .collect();
        for post in batch {
            post.await??;
        }
        sent += BATCH_SIZE;
    }
    Ok(sent)
}

/// Measures the frames of the window at rest and in a storm. It adds a note instead if there is no display or no
/// driver.
pub(crate) async fn run(report: &mut Report, data: &Path) -> Result<()> {
    let (app, folder) = (sibling_program("tidings-desktop")?, data.join("storm"));
    if Screen::open().is_none() {
        report.note("no display: the window was not watched in a storm");
        return Ok(());
    }
    prepare(&folder, ITEM_COUNT, None).await?;
    first_start(&app, &folder)?;
    let Some(window) = DriverSession::start(&app, &folder).await? else {
        report.note("no tauri-driver: the window was not watched in a storm");
        return Ok(());
    };
    let url = endpoint(&folder)?;

    window.script(WATCH_SCRIPT).await?;
    tokio::time::sleep(STORM_DURATION).await;
    let (longest_at_rest, p99_at_rest, _) = window.gaps().await?;
    window.script(WATCH_SCRIPT).await?;
    let sent = post_storm(&url).await?;
    let last = format!("return document.body.innerText.includes('Step {} done')", sent - 1);
    until("the last of the storm", async || Ok(window.script(&last).await? == json!(true))).await?;
    let (longest, p99, frames) = window.gaps().await?;
    window.close().await?;

    let millis = |longest: f64, p99: f64| format!("{longest:.0} ms, p99 {p99:.0} ms");
    let (figure, floor) = (millis(longest, p99), millis(longest_at_rest, p99_at_rest));
    report.section("Storm", "the longest time between two frames of the open window");
    report
        .note(&format!("the storm: {sent} notifications in {} s, {frames} frames", STORM_DURATION.as_secs()));
    report.rough_row(
        "while they arrive",
        &figure,
        &floor,
        "the same window at rest",
        longest / longest_at_rest,
    );
    report.goal(
        "no gap above 100 ms in a storm, or 3 × at rest",
        longest < 100.0_f64.max(3.0 * longest_at_rest),
        &figure,
    );
    Ok(())
}
