//! `doctor`: what works on this computer, what does not, why, and what to do. It asks each source once and repairs nothing.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::join_all;
use serde::Serialize;
use tidings_app::{age_hold, known_version, wanted_port};
use tidings_doctor::{self as doctor, Audience, Database, Found};
use tidings_home::{Home, usual_port};
use tidings_ipc::{Finding, FindingPart};
use tidings_model::{Clock, SystemClock};
use tidings_ports::DesktopOffer;
use tidings_replica::{Replica, Source};
use tidings_server::served::is_served;
use tidings_server::{Server, ServerConfig};
use tidings_sources::{ServerInfo, probe};
use tidings_sync::tokens::{Tokens, valid_token};
use tidings_sync::{Error as SyncError, session};
use url::Url;

use crate::{
    args::Doctor,
    endpoint,
    error::{Error, Result},
    inbox,
    output::{Output, Progress},
    server::env_value,
    text::language,
};

/// The library that draws windows.
const WEB_VIEW: &str = "libwebkit2gtk-4.1.so.0";
/// The entry of the app among what starts at login, below the folder of settings.
const AUTOSTART: &str = "autostart/Tidings.desktop";
/// Lines that switch such an entry off.
const OFF: [&str; 2] = ["Hidden=true", "X-GNOME-Autostart-enabled=false"];

/// The result.
#[derive(Serialize)]
struct Diagnosis {
    version: &'static str,
    /// Whether nothing needs somebody.
    well: bool,
    findings: Vec<Finding>,
}

/// Runs `tidings doctor`.
pub(crate) async fn run(args: Doctor, home: &Home, out: Output) -> Result<()> {
    let config = args.store.config(home)?;
    let progress = Progress::begin(out, "checking this computer");
    let found = look(home, &config, &progress).await?;
    drop(progress);
    let (lang, well) = (language().interface(), doctor::is_well(&found));
    let audience = if args.report { Audience::Others } else { Audience::Reader };
    let findings = doctor::findings(&found, lang, audience);
    let diagnosis = Diagnosis { version: env!("CARGO_PKG_VERSION"), well, findings };
    out.print(&diagnosis, |to| {
        if args.report {
            writeln!(to, "Tidings {}", diagnosis.version)?;
        }
        to.write_all(doctor::lines(&diagnosis.findings).as_bytes())
    })?;
    if well { Ok(()) } else { Err(Error::Reported) }
}

async fn look(home: &Home, config: &ServerConfig, progress: &Progress) -> Result<Vec<Found>> {
    let session = session::look().await;
    let autostart = session.as_ref().and_then(|_| starts_at_login());
    let mut found = doctor::desktop(&DesktopOffer { session, web_view: web_view(&library_folders()) });
    found.extend(autostart.map(Found::Autostart));
    let at = home.clone();
    let here = move || [doctor::folder(&at), doctor::databases(&at)].concat();
    found.extend(tokio::task::spawn_blocking(here).await.map_err(std::io::Error::other)?);
    if !config.store.is_local() {
        let asked = is_served(&config.store, &config.data_dir).await;
        doctor::shared_database(&mut found, asked.err().map(|error| error.to_string()));
    }
    let is_sound = |part| found.contains(&Found::Database(part, Database::Sound));
    let replica = if is_sound(FindingPart::Inbox) { inbox::open(home).ok() } else { None };
    let (stamps_ahead, server_hold) =
        if is_sound(FindingPart::Server) { look_at_server(home).await } else { (false, Duration::ZERO) };
    found.extend(stamps_ahead.then_some(Found::StampsAhead));
    let wanted = replica.as_ref().and_then(|replica| wanted_port(replica).ok());
    let runs_at = endpoint::find(home).await.ok().and_then(|at| at.url.parse::<Url>().ok()?.port());
    found.push(doctor::port(wanted.unwrap_or_else(usual_port), runs_at));
    if let Some(replica) = &replica {
        found.extend(known_version(replica, env!("CARGO_PKG_VERSION"))?);
    }
    progress.step("checking the sources");
    let (offsets, sources) = match &replica {
        Some(replica) => ask_all(home, replica).await?,
        None => (Vec::new(), Vec::new()),
    };
    let hold = replica.as_ref().and_then(|replica| age_hold::left(replica).ok());
    found.extend(doctor::clock(&offsets, hold.unwrap_or_default().max(server_hold)));
    found.extend(sources);
    Ok(found)
}

/// Whether the stamps of the server of this folder are ahead of the clock, and what is left of its hold.
async fn look_at_server(home: &Home) -> (bool, Duration) {
    let Ok(server) = Server::open(ServerConfig::new(home.dir()), Arc::new(SystemClock)).await else {
        return (false, Duration::ZERO);
    };
    let is_ahead = matches!(server.stamps_ahead().await, Ok(Some(_)));
    (is_ahead, server.stored_age_hold().await.unwrap_or_default())
}

/// The offsets of the servers' clocks, each with its host, and the sources, each of which is asked once.
async fn ask_all(home: &Home, replica: &Replica) -> Result<(Vec<(String, i64)>, Vec<Found>)> {
    let tokens: Arc<dyn Tokens> = Arc::new(inbox::tokens(home, replica)?);
    let rows = replica.sources()?;
    let asked = join_all(rows.iter().map(|row| ask(replica, &tokens, row))).await;
    let (mut offsets, mut sources) = (Vec::new(), Vec::new());
    for (row, asked) in rows.iter().zip(asked) {
        let trouble = asked.as_ref().err().map(SyncError::trouble);
        let Some(source) = doctor::source(row, trouble) else { continue };
        let offset = asked.ok().flatten().and_then(|info| info.clock_offset);
        offsets.extend(offset.map(|offset| (source.host.clone(), offset)));
        sources.push(Found::Source(source));
    }
    Ok((offsets, sources))
}

/// Asks a source whose inbox it is. `None` for one that is not asked; the own server was looked at before.
async fn ask(
    replica: &Replica,
    tokens: &Arc<dyn Tokens>,
    row: &Source,
) -> Result<Option<ServerInfo>, SyncError> {
    if row.paused || row.own || row.protocol == "kept" {
        return Ok(None);
    }
    let clock: Arc<dyn Clock> = Arc::new(SystemClock);
    if let Some(until) = replica.waits(row.id)?.requests {
        return Err(tidings_net::Error::Waiting { until }.into());
    }
    let (token, _) = valid_token(replica, tokens, row, &clock).await?;
    Ok(Some(probe::ask(row, token, clock).await?.0))
}

/// Whether the app starts at login; `None` if that can't be read.
fn starts_at_login() -> Option<bool> {
    let config = env_value("XDG_CONFIG_HOME").map(PathBuf::from);
    let config = config.or_else(|| Some(Path::new(&env_value("HOME")?).join(".config")))?;
    match std::fs::read_to_string(config.join(AUTOSTART)) {
        Ok(entry) => Some(!entry.lines().any(|line| OFF.contains(&line))),
        Err(error) => (error.kind() == std::io::ErrorKind::NotFound).then_some(false),
    }
}

/// The folders in which libraries are.
fn library_folders() -> Vec<PathBuf> {
    let usual = ["/usr/lib64", "/usr/lib", "/lib", "/usr/local/lib"].map(PathBuf::from);
    // Debian has a folder for each kind of machine.
    let inner = std::fs::read_dir("/usr/lib").into_iter().flatten().flatten().map(|entry| entry.path());
    let named = env_value("LD_LIBRARY_PATH").unwrap_or_default();
    std::env::split_paths(&named).chain(usual).chain(inner).collect()
}

/// The library that draws windows, with its version.
fn web_view(folders: &[PathBuf]) -> Option<String> {
    let file = folders.iter().find_map(|folder| folder.join(WEB_VIEW).canonicalize().ok())?;
    Some(file.file_name()?.to_string_lossy().into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_web_view_is_found_by_its_library_and_a_missing_one_is_noticed() {
        let dir = tempfile::tempdir().unwrap();
        let folders = [dir.path().join("nowhere"), dir.path().to_owned()];
        assert_eq!(web_view(&folders), None);
        std::fs::write(dir.path().join(WEB_VIEW), "").unwrap();
        assert_eq!(web_view(&folders).as_deref(), Some(WEB_VIEW));
    }
}
