//! Peers: the time in which mail indexers of Debian take in the same texts, beside the time of a replica. Each text is a
//! mail with its title, body and actor.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::Value;
use tidings_model::Notification;
use tidings_replica::Page;

use crate::Result;
use crate::desktop::{self, DesktopProcess};
use crate::pull;
use crate::report::{Report, rate};
use crate::setup::{self, LoadedServer};

/// Texts that are taken in.
const TEXTS: usize = 100_000;
/// The time in which both programs have started.
const SETTLE_TIME: Duration = Duration::from_secs(15);

/// Writes the texts as the mails of a maildir.
fn write_mails(pages: &[Page], maildir: &Path) -> Result<()> {
    for folder in ["cur", "new", "tmp"] {
        fs::create_dir_all(maildir.join(folder))?;
    }
    for (nth, item) in pages.iter().flat_map(|page| &page.items).enumerate() {
        fs::write(maildir.join("cur").join(format!("{nth}.tidings:2,S")), mail(item))?;
    }
    Ok(())
}

fn mail(item: &Notification) -> String {
    let target = item.target.as_ref().and_then(|target| target.title.clone()).unwrap_or_default();
    let title = if item.content.title.is_empty() { target } else { item.content.title.clone() };
    format!(
        "From: {} <{}@example.org>\nTo: reader@example.org\nSubject: {title}\nDate: {}\nMessage-ID: <{}@example.org>\n\
         MIME-Version: 1.0\nContent-Type: text/plain; charset=utf-8\n\n{}\n",
        item.actor.name,
        item.actor.id,
        chrono::DateTime::from_timestamp_micros(item.created_at.as_micros()).unwrap_or_default().to_rfc2822(),
        item.msgid.as_str(),
        item.content.body
    )
}

/// Runs a command of a peer in `home`; gives the time that it took.
fn timed(home: &Path, program: &str, args: &[&str]) -> Result<Duration> {
    let mut command = Command::new(program);
    command.args(args).env("HOME", home).env("NOTMUCH_CONFIG", home.join("notmuch"));
    command.env("XDG_CACHE_HOME", home.join("cache"));
    let started = Instant::now();
    let done = command.output().map_err(|e| format!("{program}: {e}"))?;
    if !done.status.success() {
        return Err(format!("{program}: {}", String::from_utf8_lossy(&done.stderr)).into());
    }
    Ok(started.elapsed())
}

/// Measures a replica, notmuch and mu with the same texts.
pub(crate) async fn run(report: &mut Report, data: &Path) -> Result<()> {
    let loaded = LoadedServer::open(&data.join("server")).await?;
    loaded.fill(TEXTS).await?;
    // A pull would wait for the server's first bringing in of all that.
    loaded.fan_in().await?;
    let (replica, source) = setup::replica(&data.join("replica"), &loaded.client.url)?;
    let started = Instant::now();
    loaded.pull(&replica, source).await?;
    let over_http = started.elapsed();
    loaded.close().await?;
    let pages = pull::pages(&replica, usize::MAX)?;
    drop(replica);
    let home = data.join("peers");
    let mails = home.join("mails");
    write_mails(&pages, &mails)?;
    let ours = pull::write_from_memory(pages, &data.join("ours"))?;

    let mails = mails.to_string_lossy().into_owned();
    fs::write(home.join("notmuch"), format!("[database]\npath={mails}\n[new]\ntags=unread;inbox;\n"))?;
    let notmuch = timed(&home, "notmuch", &["new", "--quiet"])?;
    timed(&home, "mu", &["init", "--quiet", &format!("--maildir={mails}")])?;
    let mu = timed(&home, "mu", &["index", "--quiet"])?;
    report.section("Peers", "texts a second, taken in with search; ours with threads and counters");
    for (name, theirs) in [("notmuch new", notmuch), ("mu index", mu)] {
        for (what, ours) in [("a replica, from memory", ours), ("a replica, over HTTP", over_http)] {
            let ratio = theirs.as_secs_f64() / ours.as_secs_f64();
            report.rate_row(what, &rate(TEXTS, ours), &rate(TEXTS, theirs), name, ratio);
        }
    }
    let ratio = notmuch.as_secs_f64() / ours.as_secs_f64();
    report.target(
        "a replica takes texts in ≥ 10 × as fast as notmuch (goal 20)",
        ratio >= 10.0,
        &format!("{ratio:.1}"),
    );
    let (ours, tray) = memory(&data.join("app"), &home)?;
    let mib = |mib: f64| format!("{mib:.0} MiB");
    report.section(
        "Memory of peers",
        "MiB in the background, connected to the app's own server, with all processes",
    );
    report.row("the app with its server", &mib(ours), &mib(tray), "Gotify Tray", ours / tray);
    Ok(())
}

/// The columns of a table with floors.
const COLUMNS: usize = 5;

/// The rows of a page of peers as a section of another page, with the day on which they were taken.
pub(crate) fn section(page: &str) -> String {
    let of_day = |line: &&str| line.starts_with(|first: char| first.is_ascii_digit());
    let day = page.lines().find(of_day).and_then(|line| line.split(',').next()).unwrap_or_default();
    let is_row = |line: &&str| {
        let is_heading = line.starts_with("| what") || line.starts_with("|---");
        line.matches('|').count() == COLUMNS + 1 && !is_heading
    };
    let rows: Vec<&str> = page.lines().filter(is_row).collect();
    format!(
        "\n## Beside other programs\n\nThe same texts on the same machine, taken on {day}: [all of it](PERFORMANCE-PEERS.md).\n\n\
         | what | figure | theirs | of | ratio |\n|---|---:|---:|---|---:|\n{}\n",
        rows.join("\n")
    )
}

/// The memory of the app in the background, and of Gotify Tray, which listens to the app's own server.
fn memory(data: &Path, home: &Path) -> Result<(f64, f64)> {
    let app = DesktopProcess::start(&desktop::sibling_program("tidings-desktop")?, data, &["--background"])?;
    let url = desktop::endpoint(data)?;
    let endpoint: Value = serde_json::from_slice(&fs::read(data.join("endpoint.json"))?)?;
    let token = endpoint.get("token").and_then(Value::as_str).ok_or("the app's server has no token")?;
    let settings = home.join(".config");
    fs::create_dir_all(&settings)?;
    let text = format!("[Server]\nurl={url}\nclient_token={token}\n");
    fs::write(settings.join("gotify-tray.conf"), text)?;
    let program = desktop::sibling_program("../clients/venv/bin/gotify-tray")?;
    let mut command = Command::new(program);
    command.env("HOME", home).env("TMPDIR", home).env("PYTHONDONTWRITEBYTECODE", "1");
    let tray = DesktopProcess::of(command)?;
    std::thread::sleep(SETTLE_TIME);
    Ok((app.memory(), tray.memory()))
}
