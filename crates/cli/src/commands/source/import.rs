//! `source import` and `source opml`: sources from a file of another program, and the feeds as such a file.

use std::fs::File;
use std::io::{IsTerminal, Read};
use std::path::{Path, PathBuf};

use serde_json::json;
use tidings_home::Home;
use tidings_net::egress;
use tidings_replica::Replica;
use tidings_sources::imports::{self, ImportedSource, MAX_IMPORT_BYTES, opml};
use tidings_sources::protocol;

use super::add::{Credentials, Name, New, add};
use crate::error::{Error, Result};
use crate::inbox;
use crate::output::{Output, Progress, clean, warn};

/// An import, as it was asked for.
pub(super) struct Import {
    pub(super) file: PathBuf,
    /// Whether addresses on this computer or its network are asked.
    pub(super) private: bool,
    /// Whether nothing is asked of the reader.
    pub(super) yes: bool,
}

/// Adds the sources of another program's file. One that can't be added is said, and the others are added.
pub(super) async fn import(replica: &Replica, import: &Import, home: &Home, out: Output) -> Result<()> {
    let file = &*import.file;
    let name = file.file_name().unwrap_or(file.as_os_str()).to_string_lossy();
    let found = imports::read(file_to_import(file)?, &name)
        .await
        .map_err(|error| Error::failed(format!("{}: {error}", file.display())))?;
    let (mut added, mut refused) = (Vec::new(), Vec::new());
    if !import.yes && !is_wanted(&found.sources)? {
        return Err(Error::failed("no source was tested, and none was added"));
    }
    let (progress, of) = (Progress::begin(out, "importing"), found.sources.len());
    for (done, ImportedSource { protocol: kind, name, url, token }) in found.sources.into_iter().enumerate() {
        progress.step(format!("asking {}, {} of {of}", clean(&url), done + 1));
        if !import.private && is_private(&url).await {
            let reason = format!(
                "{url} is on this computer or its network, so it was not tested; use --private to test it"
            );
            refused.push((url, reason));
            continue;
        }
        let new = New {
            protocol: protocol(kind)?,
            url: Some(url.clone()),
            credential: Credentials::Entered(token),
            name: Some(Name::Known(name)),
        };
        match add(replica, new, home).await {
            Ok(one) => added.push(one),
            Err(error) => refused.push((url, error.to_string())),
        }
    }
    drop(progress);
    for name in &found.left_out {
        warn(&format!("{}: not a source", clean(name)));
    }
    if found.left_out_count > found.left_out.len() {
        warn(&format!("{} more are not sources", found.left_out_count - found.left_out.len()));
    }
    for (url, reason) in &refused {
        // Most reasons name the address that was asked.
        let about = if reason.contains(url) { String::new() } else { format!("{}: ", clean(url)) };
        warn(&format!("{about}{reason}"));
    }
    let reasons: Vec<_> =
        refused.iter().map(|(url, reason)| json!({ "url": url, "reason": reason })).collect();
    let document = json!({ "added": added, "refused": reasons, "left_out": found.left_out_count });
    out.print(&document, |to| added.iter().try_for_each(|one| writeln!(to, "{}", one.line())))?;
    if !added.is_empty() {
        inbox::notify_app(home).await;
    }
    if refused.is_empty() { Ok(()) } else { Err(Error::Reported) }
}

/// Shows the addresses that would be asked. In a terminal the reader says whether they are; whoever runs it elsewhere
/// has said so with the command.
fn is_wanted(sources: &[ImportedSource]) -> Result<bool> {
    if sources.is_empty() || !(std::io::stdin().is_terminal() && std::io::stderr().is_terminal()) {
        return Ok(true);
    }
    for ImportedSource { protocol, name, url, .. } in sources {
        eprintln!("{}  {protocol}  {}", clean(name), clean(url));
    }
    eprint!("Test these {} addresses? [y/N] ", sources.len());
    let mut answer = String::new();
    std::io::stdin().read_line(&mut answer)?;
    Ok(matches!(answer.trim().to_ascii_lowercase().as_str(), "y" | "yes"))
}

/// Whether an address is on this computer or its network.
async fn is_private(url: &str) -> bool {
    match url.parse() {
        Ok(url) => egress::is_private(&url).await,
        Err(_) => false,
    }
}

/// The bytes of a file, or of standard input for `-`. One byte more than an import takes is enough to refuse it.
fn file_to_import(file: &Path) -> Result<Vec<u8>> {
    let reader: Box<dyn Read> =
        if file == Path::new("-") { Box::new(std::io::stdin()) } else { Box::new(File::open(file)?) };
    let mut bytes = Vec::new();
    reader.take(MAX_IMPORT_BYTES as u64 + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

pub(super) fn print_feeds(replica: &Replica, out: Output) -> Result<()> {
    let rows = replica.sources()?;
    let feeds = rows.iter().filter(|row| row.protocol == "feed").map(|row| (&*row.name, &*row.url));
    let list = opml::write("Tidings", feeds);
    out.print(&json!({ "opml": list }), |to| write!(to, "{list}"))
}
