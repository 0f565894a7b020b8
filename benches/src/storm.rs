//! The window while a hundred notifications arrive each second: the longest time between two frames, beside the same
//! window at rest. The page records its own frames, and is asked over `WebDriver`.

use std::net::TcpListener;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::Result;
use crate::desktop::{beside_me, end, endpoint, first_start, prepare};
use crate::report::Report;
use crate::screen::Screen;

/// Items in the inbox before the storm.
const ITEMS: usize = 10_000;
/// Duration of the storm, and of the observation at rest.
const SPAN: Duration = Duration::from_secs(15);
/// Notifications published at once, every [`BEAT`].
const AT_ONCE: usize = 10;
const BEAT: Duration = Duration::from_millis(100);
/// Number of topics that they are published to.
const TOPICS: usize = 40;
/// Timeout for the page to be drawn, and for the last notification to appear in it.
const BOUND: Duration = Duration::from_secs(60);

/// Script that records the time between every two frames, in milliseconds.
const WATCH: &str = "
    const gaps = []; window.gaps = gaps; let last = performance.now();
    const frame = () => {
      if (window.gaps !== gaps) return;
      const now = performance.now(); gaps.push(now - last); last = now; requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);";
/// Script that returns the longest recorded gap and the 99th percentile, in milliseconds, and the number of gaps.
const GAPS: &str = "
    const all = window.gaps.toSorted((a, b) => a - b);
    return [all.at(-1), all[Math.floor(all.length * 0.99)], all.length];";

/// The app in a window controlled over `WebDriver`. Dropping it ends the driver and the app.
struct Driven {
    driver: Child,
    http: reqwest::Client,
    session: String,
}

impl Driven {
    /// Starts the app and waits until its page is drawn; `None` where `tauri-driver` is not installed.
    async fn start(app: &Path, data: &Path) -> Result<Option<Self>> {
        let [port, native] = [free_port()?, free_port()?];
        let mut command = Command::new("tauri-driver");
        command.args(["--port", &port.to_string(), "--native-port", &native.to_string()]);
        command.env("TIDINGS_DATA_DIR", data);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let Ok(driver) = command.spawn() else { return Ok(None) };
        let http = reqwest::Client::builder().no_proxy().tls_certs_only([]).timeout(BOUND).build()?;
        let mut driven = Self { driver, http, session: String::new() };
        for port in [port, native] {
            until("the driver", async || {
                Ok(tokio::net::TcpStream::connect(("127.0.0.1", port)).await.is_ok())
            })
            .await?;
        }
        let url = format!("http://127.0.0.1:{port}/session");
        let options = json!({"application": app, "args": []});
        let wanted = json!({"browserName": "wry", "tauri:options": options});
        let made = driven.ask(&url, &json!({"capabilities": {"alwaysMatch": wanted}})).await?;
        let id = made.get("sessionId").and_then(Value::as_str).ok_or("the driver made no session")?;
        driven.session = format!("{url}/{id}");
        until("the page", async || {
            Ok(driven.script("return document.documentElement.dataset.ready === '1'").await? == json!(true))
        })
        .await?;
        Ok(Some(driven))
    }

    async fn ask(&self, url: &str, body: &Value) -> Result<Value> {
        let answer: Value = self.http.post(url).json(body).send().await?.json().await?;
        let value = answer.get("value").cloned().unwrap_or_default();
        match value.get("error") {
            Some(error) => Err(format!("the driver refuses: {error}").into()),
            None => Ok(value),
        }
    }

    async fn script(&self, script: &str) -> Result<Value> {
        self.ask(&format!("{}/execute/sync", self.session), &json!({"script": script, "args": []})).await
    }

    /// The longest gap between two frames since [`WATCH`] was run and the 99th percentile, both in milliseconds, and
    /// the number of frames.
    async fn gaps(&self) -> Result<(f64, f64, u64)> {
        let [longest, p99, frames]: [f64; 3] = serde_json::from_value(self.script(GAPS).await?)?;
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a count")]
        Ok((longest, p99, frames as u64))
    }

    /// Closes the session, which ends the app.
    async fn close(&self) -> Result<()> {
        self.http.delete(&self.session).send().await?.error_for_status()?;
        Ok(())
    }
}

impl Drop for Driven {
    fn drop(&mut self) {
        end(&mut self.driver);
    }
}

fn free_port() -> Result<u16> {
    Ok(TcpListener::bind("127.0.0.1:0")?.local_addr()?.port())
}

async fn until(what: &str, there: impl AsyncFn() -> Result<bool>) -> Result<()> {
    let began = Instant::now();
    while !there().await? {
        if began.elapsed() > BOUND {
            return Err(format!("{what} was not there within {} s", BOUND.as_secs()).into());
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    Ok(())
}

/// Publishes for [`SPAN`]; gives the number of notifications.
async fn rain(url: &str) -> Result<usize> {
    let http = reqwest::Client::builder().no_proxy().tls_certs_only([]).build()?;
    let (began, mut sent) = (Instant::now(), 0);
    let mut beat = tokio::time::interval(BEAT);
    while began.elapsed() < SPAN {
        beat.tick().await;
        let batch: Vec<_> = (sent..sent + AT_ONCE)
            .map(|n| {
                let post = http.post(format!("{url}/job-{}", n % TOPICS)).body(format!("Step {n} done"));
                tokio::spawn(async move { post.send().await?.error_for_status().map(drop) })
            })
            .collect();
        for one in batch {
            one.await??;
        }
        sent += AT_ONCE;
    }
    Ok(sent)
}

/// Measures the frames of the window at rest and in a storm; adds a note instead where there is no display or no
/// driver.
pub(crate) async fn run(report: &mut Report, data: &Path) -> Result<()> {
    let (app, folder) = (beside_me("tidings-desktop")?, data.join("storm"));
    if Screen::open().is_none() {
        report.note("no display: the window was not watched in a storm");
        return Ok(());
    }
    prepare(&folder, ITEMS, None).await?;
    first_start(&app, &folder)?;
    let Some(window) = Driven::start(&app, &folder).await? else {
        report.note("no tauri-driver: the window was not watched in a storm");
        return Ok(());
    };
    let url = endpoint(&folder)?;

    window.script(WATCH).await?;
    tokio::time::sleep(SPAN).await;
    let (longest_at_rest, p99_at_rest, _) = window.gaps().await?;
    window.script(WATCH).await?;
    let sent = rain(&url).await?;
    let last = format!("return document.body.innerText.includes('Step {} done')", sent - 1);
    until("the last of the storm", async || Ok(window.script(&last).await? == json!(true))).await?;
    let (longest, p99, frames) = window.gaps().await?;
    window.close().await?;

    let millis = |longest: f64, p99: f64| format!("{longest:.0} ms, p99 {p99:.0} ms");
    let (figure, floor) = (millis(longest, p99), millis(longest_at_rest, p99_at_rest));
    report.section("Storm", "the longest time between two frames of the open window");
    let what = format!("{sent} notifications in {} s, {frames} frames", SPAN.as_secs());
    report.row(&what, &figure, &floor, "the same window at rest", longest / longest_at_rest);
    report.goal(
        "no gap above 100 ms in a storm, or 3 × at rest",
        longest < 100.0_f64.max(3.0 * longest_at_rest),
        &figure,
    );
    Ok(())
}
